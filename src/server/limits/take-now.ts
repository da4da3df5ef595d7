import { db } from '@/server/db';
import { hashedBlock } from '@/server/limits/rate-limit';
import { FairQueue } from '@/server/worker/fair-queue';
import type { RateName } from './quotas';
import { takeQuota } from './take-quota';

/**
 * Takes that use the database at a time, in all and of one rate of a subject: those wait for each other's row, each with a
 * connection that everybody else would wait for.
 */
const taking = new FairQueue({ running: [5, 1], waiting: 16_000, waitingOfOwner: 4_000 });

/**
 * Takes from a rate in a statement of its own: for what costs time whether or not it succeeds.
 * @throws QUOTA_EXCEEDED (429), OVERLOADED when too many wait
 */
export function takeNow(name: RateName, subject: string, count = 1): Promise<void> {
  // Of several, what there is room for is taken before the rest is refused, and has to be rolled back.
  const take = () =>
    count === 1 ? takeQuota(db, name, subject) : db.$transaction((tx) => takeQuota(tx, name, subject, count));
  return taking.run({ owner: `${name} ${subject}` }, take);
}

/**
 * Takes a tournament from what the block of an address may create. Not in the transaction that creates it: neighbors would wait for
 * its end, and one person could make that long by large imports.
 * @throws QUOTA_EXCEEDED (429)
 */
export function takeTournamentOfBlock(ip: string): Promise<void> {
  return takeNow('tournamentsOfBlock', hashedBlock(ip));
}

const maxSubjects = 10_000;
/** What was used of each rate and is not taken yet. */
const untaken = new Map<string, number>();

/**
 * Takes from a rate once `portion` has been used of it in this process: where each use is small, counting it by itself
 * would cost more than it does.
 * @throws QUOTA_EXCEEDED (429)
 */
export async function takeInPortions(name: RateName, subject: string, count: number, portion: number): Promise<void> {
  const key = `${name} ${subject}`;
  const used = (untaken.get(key) ?? 0) + count;
  if (untaken.size >= maxSubjects) untaken.clear();
  untaken.set(key, used < portion ? used : 0);
  if (used < portion) return;
  try {
    await takeNow(name, subject, used);
  } catch (error) {
    untaken.set(key, (untaken.get(key) ?? 0) + used - count);
    throw error;
  }
}
