import { describe, expect, it } from 'vitest';
import { db } from '@/server/db';
import { drainQueue } from '@/server/delivery/drain-queue';
import { deliveriesOf } from '@/test/deliveries';
import { makeQueue } from '@/test/queue';

const past = () => new Date(Date.now() - 1000);

describe('rate limits', () => {
  const aged = (subscriptionId: string, seconds: number) =>
    db.$executeRaw`UPDATE webhook_rate_bucket SET "startsAt" = "startsAt" - ${seconds} * interval '1 second' WHERE "subscriptionId" = ${subscriptionId}`;

  it.each([
    ['perMinute', 62],
    ['perHour', 3_700],
    ['perDay', 88_000],
    ['burst', 2],
  ])('%s: delays what exceeds it, uses no attempt, loses nothing', async (limit, seconds) => {
    const { subscription, target, counts, eventIds } = await makeQueue({ rateLimitConfig: { [limit]: 5 } }, 12);
    for (const delivered of [5, 10, 12]) {
      const next = await drainQueue(subscription.id);
      expect(target.received).toHaveLength(delivered);
      if (delivered === 12) break;
      expect(next?.inMs).toBeGreaterThan(0);
      expect(next?.inMs).toBeLessThanOrEqual(seconds * 1000);
      expect(await counts()).toEqual({ delivered, pending: 12 - delivered });
      const waiting = (await deliveriesOf(subscription.id)).filter((row) => row.status === 'pending');
      expect(waiting.every((row) => row.attemptCount === 0 && row.attempts.length === 0)).toBe(true);
      await aged(subscription.id, seconds);
    }
    expect(await counts()).toEqual({ delivered: 12 });
    expect(new Set(target.eventIds())).toEqual(new Set(eventIds));
  });

  it('hold when the queue runs several times at once', async () => {
    const { subscription, target } = await makeQueue(
      { rateLimitConfig: { perMinute: 30, perHour: 17, burst: 25 } },
      60,
    );
    await Promise.all(Array.from({ length: 6 }, () => drainQueue(subscription.id)));
    expect(target.received).toHaveLength(17);
  });

  it('include retries', async () => {
    const { subscription, target } = await makeQueue({ rateLimitConfig: { perMinute: 2 } }, 1, (_request, response) => {
      response.writeHead(500).end();
    });
    const due = () =>
      db.webhookDelivery.updateMany({ where: { subscriptionId: subscription.id }, data: { nextAttemptAt: past() } });
    for (let round = 0; round < 4; round += 1) {
      await drainQueue(subscription.id);
      await due();
    }
    expect(target.received).toHaveLength(2);
  });
});
