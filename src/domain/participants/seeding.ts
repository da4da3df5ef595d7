import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/** What the order of seeds is made of. `registeredAt`: ISO 8601 or a date. */
export type Seeded = { id: string; seed: number | null; registeredAt: string | Date };

const time = (value: string | Date) => new Date(value).getTime();

/** Who registered first goes first; ids decide between equals, so that the order is total. */
export function byRegistration(a: Omit<Seeded, 'seed'>, b: Omit<Seeded, 'seed'>): number {
  return time(a.registeredAt) - time(b.registeredAt) || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

/** The order in which entrants are seeded: by seed, whatever gaps leavers left; who has none comes last, by registration. */
export function bySeed(a: Seeded, b: Seeded): number {
  return (a.seed ?? Number.POSITIVE_INFINITY) - (b.seed ?? Number.POSITIVE_INFINITY) || byRegistration(a, b);
}

/**
 * The draw of a random seed: entrants in the order of SHA-256 over `randomSeed:id`. The same entrants and random seed give
 * the same order whoever computes it, and who joins or leaves changes nothing between the others.
 */
export function drawOrder(ids: readonly string[], randomSeed: string): string[] {
  const drawn = ids.map((id) => ({ id, ticket: bytesToHex(sha256(utf8ToBytes(`${randomSeed}:${id}`))) }));
  return drawn.sort((a, b) => (a.ticket < b.ticket ? -1 : a.ticket > b.ticket ? 1 : 0)).map(({ id }) => id);
}

/** What keeps `order` from being everyone in `entrants` once: each id named twice, not theirs, or left out. */
export function orderFaults(order: readonly string[], entrants: readonly string[]) {
  const wanted = new Set(entrants);
  const seen = new Set<string>();
  const twice: { id: string; at: number }[] = [];
  const unknown: { id: string; at: number }[] = [];
  for (const [at, id] of order.entries()) {
    if (seen.has(id)) twice.push({ id, at });
    else if (!wanted.has(id)) unknown.push({ id, at });
    seen.add(id);
  }
  return { twice, unknown, missing: entrants.filter((id) => !seen.has(id)) };
}

/** `order` with the entrant at `from` at place `to` (both from 0); places beyond the ends mean the ends. */
export function moveTo(order: readonly string[], from: number, to: number): string[] {
  const id = order[from];
  if (id === undefined) return [...order];
  const rest = order.toSpliced(from, 1);
  return rest.toSpliced(Math.min(Math.max(to, 0), rest.length), 0, id);
}

/** An order that someone is working on, brought up to date: leavers go, newcomers are put at the end in their order. */
export function mergeOrder(working: readonly string[], present: readonly string[]) {
  const here = new Set(present);
  const kept = working.filter((id) => here.has(id));
  const known = new Set(kept);
  const joined = present.filter((id) => !known.has(id));
  return { order: [...kept, ...joined], joined, left: working.filter((id) => !here.has(id)) };
}
