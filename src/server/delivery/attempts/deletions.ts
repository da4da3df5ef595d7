import { changeInBatches } from '@/server/delivery/queue/batches';

/**
 * The subscriptions of those in the array `ids` (SQL) that are not deleted, for a statement that stores deliveries of them: a
 * deletion waits for it, and then finds the deliveries; one that is under way is waited for. In place of a foreign key, which
 * would lock the row once for every delivery.
 */
export const keptSubscriptionsSql = (ids: string) =>
  `SELECT id, "projectId" FROM webhook_subscription WHERE id = ANY (${ids}) FOR KEY SHARE`;

/** Deliveries that are deleted with their subscription, in one statement. */
export const maxDeletedWith = 2_000;

const DELETE_BATCH = `
  DELETE FROM webhook_delivery WHERE id IN (
    SELECT id FROM webhook_delivery WHERE "subscriptionId" = $1 LIMIT $2)`;
const batchSize = 500;

/**
 * Deletes the deliveries of a subscription, batch by batch. New deliveries of all projects wait for a statement that deletes
 * a subscription, so it must not have many to delete with it.
 */
export async function deleteDeliveries(subscription: { id: string; projectId: string }): Promise<void> {
  await changeInBatches(DELETE_BATCH, subscription, batchSize);
}
