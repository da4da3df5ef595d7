/** What a player is called who may be deleted, or had the account of somebody who took it over later. */
export function playerName({ name, beforeTakeover }: { name: string | null; beforeTakeover: boolean }): string {
  return beforeTakeover ? 'An earlier user of the account' : (name ?? 'A deleted user');
}
