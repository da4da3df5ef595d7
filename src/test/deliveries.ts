import { db } from '@/server/db';

/** Deliveries of a subscription with their attempts, oldest first. */
export function deliveriesOf(subscriptionId: string) {
  return db.webhookDelivery.findMany({
    where: { subscriptionId },
    orderBy: { id: 'asc' },
    include: { attempts: { orderBy: { number: 'asc' } } },
  });
}
