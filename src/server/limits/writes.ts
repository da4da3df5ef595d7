import { isMainThread } from 'node:worker_threads';
import { day } from '@/domain/time/durations';
import { takeNow } from './take-now';

/**
 * Writes of an account in a day that a process lets pass uncounted: an ordinary account's cost no statement more. The worker
 * thread lets none pass, because it would forget them when it ends, and what it does costs far more than a statement.
 */
export const uncountedWrites = 1_000;
const maxAccounts = 50_000;

let countedSince = performance.now();
const passed = new Map<string, number>();

/**
 * Counts one write of an account: its events and audit rows stay, so that nobody may cause them without end.
 * @throws QUOTA_EXCEEDED (429)
 */
export async function countWrite(userId: string): Promise<void> {
  if (!isMainThread) return takeNow('writes', userId);
  if (performance.now() - countedSince > day || passed.size > maxAccounts) {
    passed.clear();
    countedSince = performance.now();
  }
  const count = (passed.get(userId) ?? 0) + 1;
  passed.set(userId, count);
  if (count > uncountedWrites) await takeNow('writes', userId);
}
