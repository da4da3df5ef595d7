import { newId } from '@/domain/ids';
import type {
  WebhookAttemptUncheckedCreateInput,
  WebhookDeliveryUncheckedCreateInput,
} from '@/generated/prisma/models';
import { db } from '@/server/db';

/** Deliveries of a subscription with their attempts, oldest first. */
export function deliveriesOf(subscriptionId: string) {
  return db.webhookDelivery.findMany({
    where: { subscriptionId },
    orderBy: { id: 'asc' },
    include: { attempts: { orderBy: { number: 'asc' } } },
  });
}

/** For `until`: whether the subscription has that many deliveries and none is pending. */
export const settled = (subscriptionId: string, count: number) => async () => {
  const rows = await deliveriesOf(subscriptionId);
  return rows.length === count && rows.every((row) => row.status !== 'pending');
};

/** Deliveries as the engine would have left them, one for each event. @returns their ids, in order */
export async function makeDeliveries(
  subscription: { id: string; projectId: string },
  eventIds: string[],
  data: Partial<WebhookDeliveryUncheckedCreateInput> = {},
): Promise<string[]> {
  const over = ['delivered', 'failed', 'expired'].includes(data.status ?? 'pending');
  const rows = eventIds.map((eventId) => ({
    id: newId('whd'),
    subscriptionId: subscription.id,
    projectId: subscription.projectId,
    eventId,
    eventType: 'participant.registered',
    expiresAt: new Date(Date.now() + 86_400_000),
    nextAttemptAt: over ? null : new Date(),
    ...data,
  }));
  await db.webhookDelivery.createMany({ data: rows });
  return rows.map((row) => row.id);
}

/** Attempts of a delivery, numbered from 1. */
export async function makeAttempts(deliveryId: string, attempts: Partial<WebhookAttemptUncheckedCreateInput>[]) {
  const rows = attempts.map((attempt, index) => ({
    id: newId('wha'),
    deliveryId,
    number: index + 1,
    outcome: 'succeeded' as const,
    requestBody: '{}',
    ...attempt,
  }));
  await db.webhookAttempt.createMany({ data: rows });
}

/** Failed attempts of each delivery, numbered from 1, as thousands of replays leave them. PostgreSQL knows how many there are. */
export async function makeManyAttempts(deliveryIds: string[], count: number): Promise<void> {
  await db.$executeRaw`
    INSERT INTO "webhook_attempt" ("id", "deliveryId", "number", "outcome", "startedAt", "requestBody", "errorClass")
    SELECT 'wha_' || d || n, d, n, 'failed', now() - interval '1 minute' + n * interval '1 ms', '{}', 'http_5xx'
    FROM unnest(${deliveryIds}::text[]) d, generate_series(1, ${count}::int) n`;
  await db.webhookDelivery.updateMany({ where: { id: { in: deliveryIds } }, data: { attemptCount: count } });
  await db.$executeRaw`ANALYZE "webhook_attempt"`;
}
