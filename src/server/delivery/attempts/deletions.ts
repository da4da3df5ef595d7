import { queuePool } from '@/server/db';
import { batchTurns } from '@/server/delivery/queue/batches';
import { turnOfProject } from '@/server/events/project-turn';

/**
 * The subscriptions of those in the array `ids` (SQL) that are neither deleted nor being deleted, for a statement about
 * deliveries of them: a deletion waits for it, and then finds the deliveries. Nothing waits for a deletion: a statement that
 * stores what belongs to many projects passes its subscription over. In place of a foreign key, which would lock the row once
 * for every delivery.
 */
export const keptSubscriptionsSql = (ids: string) =>
  `SELECT id, "projectId" FROM webhook_subscription WHERE id = ANY (${ids}) FOR KEY SHARE SKIP LOCKED`;

/** Attempts that one statement deletes with their deliveries. */
export const maxDeletedWith = 2_000;

// A delivery that was replayed again and again has thousands of attempts. Results are stored of claimed deliveries, and would
// wait for the batch: those are deleted with the subscription, and so are the few that another statement is working on.
const DELETE_BATCH = `
  DELETE FROM webhook_delivery WHERE id IN (
    SELECT id FROM (
      SELECT id, sum("attemptCount") OVER (ORDER BY id) - "attemptCount" AS before FROM (
        SELECT id, "attemptCount" FROM webhook_delivery WHERE "subscriptionId" = $1 AND "claimId" IS NULL
        LIMIT $2 FOR UPDATE SKIP LOCKED) o) d
    WHERE before < $3)`;
const batchSize = { deliveries: 500, attempts: 1_000 };

/** Deletes the deliveries of a subscription that is being deleted, batch by batch, but for those that are claimed. */
export async function deleteDeliveries({ id, projectId }: { id: string; projectId: string }): Promise<void> {
  const values = [id, batchSize.deliveries, batchSize.attempts];
  const deleteBatch = async () => ({ full: (await queuePool.query(DELETE_BATCH, values)).rowCount !== 0 });
  const turn = await turnOfProject(projectId);
  while ((await batchTurns.run(turn, deleteBatch)).full);
}
