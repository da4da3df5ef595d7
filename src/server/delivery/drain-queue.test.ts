import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { db } from '@/server/db';
import { drainQueue } from '@/server/delivery/drain-queue';
import { makeQueue } from '@/test/queue';
import { until } from '@/test/receiver';

describe('a receiver that hangs', () => {
  it('does not delay the others', async () => {
    const stuck = await makeQueue({ timeoutMs: 120_000 }, 40, () => undefined);
    const hanging = drainQueue(stuck.subscription.id);
    const others = await Promise.all(Array.from({ length: 5 }, () => makeQueue({}, 20)));
    await Promise.all(others.map(({ subscription }) => drainQueue(subscription.id)));
    for (const { counts } of others) expect(await counts()).toEqual({ delivered: 20 });
    expect(await Promise.race([hanging.then(() => 'ended'), pause(0, 'hangs')])).toBe('hangs');
    expect(stuck.target.received.length).toBeLessThanOrEqual(10);
    await stuck.target.close();
    await hanging;
  });
});

// While deliveries wait for their claims, new ones are not claimed as they are made.
it('claims what is due to a prompt receiver before it has sent what it has', async () => {
  const held: ServerResponse[] = [];
  let answered = 0;
  const { subscription, counts } = await makeQueue({}, 150, (_request, response) => {
    answered += 1;
    if (answered <= 20) response.end();
    else held.push(response);
  });
  const draining = drainQueue(subscription.id);
  await until(async () => {
    const open = { subscriptionId: subscription.id, status: 'pending', claimId: null } as const;
    return (await db.webhookDelivery.count({ where: open })) === 0;
  });
  expect(held.length).toBeLessThanOrEqual(10);
  answered = Number.NEGATIVE_INFINITY;
  for (const response of held) response.end();
  await draining;
  expect(await counts()).toEqual({ delivered: 150 });
});
