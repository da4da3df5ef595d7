import { setTimeout as pause } from 'node:timers/promises';
import { completeAttempts, type FinishedAttempt, type SubscriptionChange } from '@/server/delivery/attempts/complete';
import { Batcher } from '@/server/jobs/embedded/batcher';
import { isTransient } from '@/server/jobs/embedded/database';

/** How long to try; less than what a claim lasts after the response. */
const patienceMs = 8_000;
const longestPauseMs = 500;
const maxBatchSize = 200;
/** Nobody waits for a result, and one statement writes many for little more than one. */
const gatherMs = 10;

/** Tries again within the claim's lease while the database is away, since a lost result means a second request. */
async function complete(batch: FinishedAttempt[]): Promise<SubscriptionChange[]> {
  const until = performance.now() + patienceMs;
  for (let failed = 1; ; failed += 1) {
    try {
      return await completeAttempts(batch);
    } catch (error) {
      if (performance.now() >= until || !isTransient(error)) throw error;
      await pause(Math.min(100 * 2 ** (failed - 1), longestPauseMs));
    }
  }
}

type Written = { change: SubscriptionChange | null } | { error: unknown };

async function writeTogether(batch: FinishedAttempt[]): Promise<Written[]> {
  const changes = new Map((await complete(batch)).map((change) => [change.subscriptionId, change]));
  return batch.map(({ attempt }) => ({ change: changes.get(attempt.subscriptionId) ?? null }));
}

/** Results of a moment are written together, whatever their subscriptions. */
async function writeAll(batch: FinishedAttempt[]): Promise<Written[]> {
  try {
    return await writeTogether(batch);
  } catch (error) {
    if (batch.length === 1 || isTransient(error)) throw error;
    // A response that cannot be stored must not cost the others their results.
    const one = (each: FinishedAttempt) =>
      writeTogether([each]).catch((reason: unknown): Written[] => [{ error: reason }]);
    const written: Written[] = [];
    for (const each of batch) written.push(...(await one(each)));
    return written;
  }
}

const results = new Batcher(maxBatchSize, writeAll, { gatherMs });

/**
 * Writes the result of an attempt.
 * @returns what changed of its subscription; null when nothing did
 * @throws Error when it could not be stored: the delivery is sent again when its claim ends
 */
export async function writeResult(finished: FinishedAttempt): Promise<SubscriptionChange | null> {
  const written = await results.add(finished);
  if ('error' in written) throw written.error;
  return written.change;
}
