import { expect, it } from 'vitest';
import { db } from '@/server/db';
import { abandonedMessage, EXPIRE, expireOverdue } from '@/server/delivery/queue/expire';
import { deliveriesOf, makeManyAttempts } from '@/test/deliveries';
import { makeQueue } from '@/test/queue';
import { countRowsRead } from '@/test/statements';

it('a delivery that was replayed thousands of times expires without reading all of its attempts', async () => {
  const { subscription, counts } = await makeQueue({}, 2);
  const deliveries = { subscriptionId: subscription.id };
  const [replayed, other] = await deliveriesOf(subscription.id);
  await makeManyAttempts([replayed?.id ?? ''], 5_000);
  await makeManyAttempts([other?.id ?? ''], 1);
  const newest = { deliveryId_number: { deliveryId: replayed?.id ?? '', number: 5_000 } };
  await db.webhookAttempt.update({ where: newest, data: { outcome: 'running' } });
  await db.webhookDelivery.updateMany({ where: deliveries, data: { expiresAt: new Date(Date.now() - 1_000) } });
  for (const about of [subscription.id, null])
    expect(await countRowsRead('webhook_attempt', { text: EXPIRE, values: [about] })).toBeLessThan(250);
  await expireOverdue(subscription.id);
  expect(await counts()).toEqual({ expired: 2 });
  const lost = await db.webhookAttempt.findUniqueOrThrow({ where: newest });
  expect(lost).toMatchObject({ outcome: 'unknown', errorMessage: abandonedMessage });
});
