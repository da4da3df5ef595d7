import { encodeTime } from 'ulid';
import { pool } from '@/server/db';
import { maxDeletedWith } from '@/server/delivery/attempts/deletions';
import { queueOwnerEmails } from '@/server/delivery/owner-emails';
import { expireOverdue } from '@/server/delivery/queue/expire';
import { findStalledQueues } from '@/server/delivery/queue/queue';
import { triggerDelivery } from '@/server/delivery/sending/worker';
import type { JobStep } from '@/server/jobs/client';

const stalledAfterSeconds = 20;
const maxSwept = 500;

/**
 * Makes up for what a crash lost: expires what is overdue, emails owners, and runs queues that should have been run
 * by now.
 */
export async function sweep(step: JobStep): Promise<void> {
  await step.run('expire', () => expireOverdue(null));
  await step.run('email-owners', () => queueOwnerEmails(maxSwept));
  await step.run('wake', async () => triggerDelivery(await findStalledQueues(stalledAfterSeconds, maxSwept)));
}

const dayMs = 86_400_000;
/** How long deliveries that ended are stored, with their payloads and attempts. */
const retentionDays = 30;
/** The longest rate limit counts over a day; older counts are of no use. */
const rateCountDays = 2;
const batchSize = 1_000;
/** A step ends after this, so that a stop of the process does not wait for it for long. */
const budgetMs = 5_000;
const maxPurgeSteps = 100;

// Ids begin with their time, so that old deliveries are at the beginning of the primary key. One that was replayed again and
// again has thousands of attempts, which are deleted with it.
const PURGE = `
  DELETE FROM webhook_delivery WHERE id IN (
    SELECT id FROM (
      SELECT id, sum("attemptCount") OVER (ORDER BY id) - "attemptCount" AS before FROM (
        SELECT id, "attemptCount" FROM webhook_delivery
        WHERE id < $1 AND status IN ('delivered', 'failed', 'expired') AND "completedAt" < $2
        ORDER BY id LIMIT $3 FOR UPDATE SKIP LOCKED) o) d
    WHERE before < ${maxDeletedWith})`;

/** Deletes a batch of deliveries that ended more than 30 days before `now`, with their attempts. @returns how many */
export async function purgeDeliveries(now: Date, limit: number): Promise<number> {
  const before = now.getTime() - retentionDays * dayMs;
  const firstStored = `whd_${encodeTime(before).toLowerCase()}`;
  const { rowCount } = await pool.query(PURGE, [firstStored, new Date(before), limit]);
  return rowCount ?? 0;
}

/** Deletes old replays, and counts of rate limits whose window is over. */
export async function purgeReplaysAndCounts(now: Date): Promise<void> {
  const daysAgo = (days: number) => new Date(now.getTime() - days * dayMs);
  await pool.query('DELETE FROM webhook_replay WHERE "createdAt" < $1', [daysAgo(retentionDays)]);
  await pool.query('DELETE FROM webhook_rate_bucket WHERE "startsAt" < $1', [daysAgo(rateCountDays)]);
}

/** Deletes old deliveries until none is left or the budget is used up. @returns whether more may be left */
async function purgeWithinBudget(): Promise<boolean> {
  const until = performance.now() + budgetMs;
  while (performance.now() < until) {
    if ((await purgeDeliveries(new Date(), batchSize)) === 0) return false;
  }
  return true;
}

/** Deletes everything that is past its retention. */
export async function purge(step: JobStep): Promise<void> {
  await step.run('records', () => purgeReplaysAndCounts(new Date()));
  for (let round = 1; round <= maxPurgeSteps; round += 1) {
    if (!(await step.run(`deliveries-${round}`, purgeWithinBudget))) return;
  }
}
