import { isForeignKeyViolation } from '@/server/db';
import { changeInBatches } from '@/server/delivery/queue/batches';

const maxTries = 5;

/**
 * Runs statements about many subscriptions once more where one of these was deleted while they ran: then they find it no
 * more, and the others do not wait for it.
 */
export async function despiteDeletions<T>(work: () => Promise<T>): Promise<T> {
  for (let failed = 1; ; failed += 1) {
    try {
      return await work();
    } catch (error) {
      if (failed >= maxTries || !isForeignKeyViolation(error)) throw error;
    }
  }
}

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
