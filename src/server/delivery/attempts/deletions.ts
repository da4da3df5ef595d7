import { queuePool } from '@/server/db';
import { batchTurns } from '@/server/delivery/queue/batches';

/**
 * The subscriptions of those in the array `ids` (SQL) that are not deleted, for a statement that stores deliveries of them: a
 * deletion waits for it, and then finds the deliveries; one that is under way is waited for. In place of a foreign key, which
 * would lock the row once for every delivery.
 */
export const keptSubscriptionsSql = (ids: string) =>
  `SELECT id, "projectId" FROM webhook_subscription WHERE id = ANY (${ids}) FOR KEY SHARE`;

/** Deliveries, or attempts of them, that are deleted with their subscription in one statement. */
export const maxDeletedWith = 2_000;

const HAS_MANY = `
  SELECT count(*) >= $2 OR sum("attemptCount") >= $2 AS many
  FROM (SELECT "attemptCount" FROM webhook_delivery WHERE "subscriptionId" = $1 LIMIT $2) d`;

/**
 * Whether the deliveries of a subscription have to be deleted before it: new deliveries of all projects wait for a statement
 * that deletes a subscription, so it must not have many rows to delete with it.
 */
export async function hasManyDeliveries(subscriptionId: string): Promise<boolean> {
  const { rows } = await queuePool.query<{ many: boolean }>(HAS_MANY, [subscriptionId, maxDeletedWith]);
  return rows[0]?.many === true;
}

// A delivery that was replayed again and again has thousands of attempts.
const DELETE_BATCH = `
  DELETE FROM webhook_delivery WHERE id IN (
    SELECT id FROM (
      SELECT id, sum("attemptCount") OVER (ORDER BY id) - "attemptCount" AS before
      FROM (SELECT id, "attemptCount" FROM webhook_delivery WHERE "subscriptionId" = $1 LIMIT $2) o) d
    WHERE before < $3)`;
const batchSize = { deliveries: 500, attempts: 1_000 };

/** Deletes the deliveries of a subscription, batch by batch. */
export async function deleteDeliveries({ id, projectId }: { id: string; projectId: string }): Promise<void> {
  const values = [id, batchSize.deliveries, batchSize.attempts];
  const deleteBatch = async () => ({ full: (await queuePool.query(DELETE_BATCH, values)).rowCount !== 0 });
  while ((await batchTurns.run(projectId, deleteBatch)).full);
}
