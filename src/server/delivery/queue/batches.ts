import { setTimeout as pause } from 'node:timers/promises';
import { queuePool } from '@/server/db';
import { FairQueue } from '@/server/worker/fair-queue';

/** One batch is changed at a time, whatever its queue; queues take turns. All who wait are our own sweeps and changes. */
const batches = new FairQueue({
  running: [1],
  waiting: Number.POSITIVE_INFINITY,
  waitingOfOwner: Number.POSITIVE_INFINITY,
});

/**
 * Changes one batch, and rests as long as it took: a backlog that is paused and resumed again and again, or deleted, must not
 * keep the database from the deliveries of others.
 * @returns how many changed
 */
async function changeBatch(statement: string, subscriptionId: string, size: number): Promise<number> {
  const began = performance.now();
  const { rowCount } = await queuePool.query(statement, [subscriptionId, size]);
  const changed = rowCount ?? 0;
  if (changed === size) await pause(performance.now() - began);
  return changed;
}

/**
 * Runs a statement about the queue of a subscription until nothing is left for it.
 * @param statement takes the subscription ($1) and how many deliveries it may change ($2)
 * @returns how many changed
 */
export async function changeInBatches(statement: string, subscriptionId: string, size: number): Promise<number> {
  let all = 0;
  for (;;) {
    const changed = await batches.run({ owner: subscriptionId }, () => changeBatch(statement, subscriptionId, size));
    all += changed;
    if (changed < size) return all;
  }
}
