import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/** What decides the order of seeds. `registeredAt` is a date or ISO 8601. */
export type Seeded = { id: string; seed: number | null; registeredAt: string | Date };

const time = (value: string | Date) => new Date(value).getTime();

/** Orders by time of registration, then by id. */
export function byRegistration(a: Omit<Seeded, 'seed'>, b: Omit<Seeded, 'seed'>): number {
  return time(a.registeredAt) - time(b.registeredAt) || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

/** Orders by seed; participants without one come last, by time of registration. */
export function bySeed(a: Seeded, b: Seeded): number {
  return (a.seed ?? Number.POSITIVE_INFINITY) - (b.seed ?? Number.POSITIVE_INFINITY) || byRegistration(a, b);
}

/**
 * Draws a random order: participants by the SHA-256 of `randomSeed:id`. The same participants and random seed always give
 * the same order, and a participant who joins or leaves does not change the order of the others.
 */
export function drawOrder(ids: readonly string[], randomSeed: string): string[] {
  const drawn = ids.map((id) => ({ id, ticket: bytesToHex(sha256(utf8ToBytes(`${randomSeed}:${id}`))) }));
  return drawn.sort((a, b) => (a.ticket < b.ticket ? -1 : a.ticket > b.ticket ? 1 : 0)).map(({ id }) => id);
}

/** Why `order` does not contain every participant exactly once: ids that are listed twice, unknown, or missing. */
export function orderFaults(order: readonly string[], participantIds: readonly string[]) {
  const expected = new Set(participantIds);
  const seen = new Set<string>();
  const twice: { id: string; at: number }[] = [];
  const unknown: { id: string; at: number }[] = [];
  for (const [at, id] of order.entries()) {
    if (seen.has(id)) twice.push({ id, at });
    else if (!expected.has(id)) unknown.push({ id, at });
    seen.add(id);
  }
  return { twice, unknown, missing: participantIds.filter((id) => !seen.has(id)) };
}

/** Moves the participant at index `from` to index `to`, which is limited to the ends. */
export function moveTo(order: readonly string[], from: number, to: number): string[] {
  const id = order[from];
  if (id === undefined) return [...order];
  const rest = order.toSpliced(from, 1);
  return rest.toSpliced(Math.min(Math.max(to, 0), rest.length), 0, id);
}

/** Updates an order that someone is editing: participants who left are removed, new ones are added at the end. */
export function mergeOrder(working: readonly string[], present: readonly string[]) {
  const presentIds = new Set(present);
  const kept = working.filter((id) => presentIds.has(id));
  const known = new Set(kept);
  const joined = present.filter((id) => !known.has(id));
  return { order: [...kept, ...joined], joined, left: working.filter((id) => !presentIds.has(id)) };
}
