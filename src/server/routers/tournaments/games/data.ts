import { nameKey } from '@/domain/text/name-key';
import { slugify } from '@/domain/text/slug';
import type { Tx } from '@/server/db';
import { refuse } from '@/server/errors';
import { requireRoom } from '@/server/limits/take-quota';

/** The games that a tournament of the project can be played in: the instance's and the project's own. */
export const availableTo = (projectId: string) => ({ scope: { in: ['', projectId] } });

export const gameSelect = { id: true, name: true, projectId: true } as const;

/** A game as the API writes it. */
export function presentGame({ id, name, projectId }: { id: string; name: string; projectId: string | null }) {
  return { id, key: id, name, projectId };
}

/**
 * The scope of a game that the project can use, its own before the instance's; null when there is none.
 * @param key as in the API (`cs2`)
 */
export async function findGameScope(tx: Tx, projectId: string, key: string): Promise<string | null> {
  const game = await tx.game.findFirst({
    where: { id: key, ...availableTo(projectId) },
    orderBy: { scope: 'desc' },
    select: { scope: true },
  });
  return game?.scope ?? null;
}

/**
 * Adds a game of a locked project. Its key is made from its name.
 * @throws GAME_EXISTS, QUOTA_EXCEEDED
 */
export async function addGame(tx: Tx, projectId: string, name: string) {
  const known = await tx.game.findMany({ where: availableTo(projectId), select: gameSelect });
  const same = known.find((game) => nameKey(game.name) === nameKey(name));
  if (same) {
    const message = `This project can already use ${same.name}, with the key ${same.id}.`;
    throw refuse('GAME_EXISTS', { message });
  }
  requireRoom('games', projectId, known.filter((game) => game.projectId !== null).length);
  const keys = new Set(known.map(({ id }) => id));
  // A name in another script leaves nothing to make a key from.
  const slug = slugify(name, { maxLength: 36 }) || 'game';
  let key = slug;
  for (let number = 2; keys.has(key); number += 1) key = `${slug}-${number}`;
  return tx.game.create({ data: { id: key, scope: projectId, projectId, name }, select: gameSelect });
}
