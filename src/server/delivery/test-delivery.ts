import { newId } from '@/domain/ids';
import { retryWindowHours } from '@/domain/webhooks/retry';
import type { Tx } from '@/server/db';
import { emit, type Origin } from '@/server/events/emit';

/**
 * Queues a `webhook.test` event for one subscription, ahead of everything that waits. Call `triggerDelivery` after the
 * commit.
 */
export async function queueTestDelivery(
  tx: Tx,
  by: Origin,
  { id, projectId }: { id: string; projectId: string },
): Promise<{ deliveryId: string; eventId: string }> {
  const payload = { subscriptionId: id, message: 'This is a test.' };
  const [eventId = ''] = await emit(tx, by, { projectId, type: 'webhook.test', aggregateId: id, payload });
  const deliveryId = newId('whd');
  // Due a day ago, so that it comes first. The fan-out finds the delivery and makes no second one.
  await tx.$executeRaw`
    INSERT INTO webhook_delivery (id, "subscriptionId", "projectId", "eventId", "eventType", "isTest", "nextAttemptAt", "expiresAt", "updatedAt")
    SELECT ${deliveryId}, id, "projectId", ${eventId}, 'webhook.test', true, now() - interval '1 day', now() + make_interval(hours => ${retryWindowHours}), now()
    FROM webhook_subscription WHERE id = ${id} FOR KEY SHARE`;
  return { deliveryId, eventId };
}
