import { describe, expect, it } from 'vitest';
import { db } from '@/server/db';
import { claimDue } from '@/server/delivery/attempts/claim';
import { completeAttempts } from '@/server/delivery/attempts/complete';
import { drainQueue } from '@/server/delivery/drain-queue';
import { webhookAgent } from '@/server/delivery/outbound/policy';
import { blamelessMessages, post } from '@/server/delivery/outbound/post';
import { deliveriesOf } from '@/test/deliveries';
import { makeQueue } from '@/test/queue';

const past = () => new Date(Date.now() - 1000);

describe('Retry-After', () => {
  it.each([
    ['seconds', 429, () => '3600', 3_600_000],
    ['a date', 503, () => new Date(Date.now() + 7_200_000).toUTCString(), 7_200_000],
    ['too long, cut to 24 hours', 503, () => '9999999', 86_400_000],
  ])('in %s holds the whole subscription', async (_name, status, header, ms) => {
    const { subscription, target, row, more } = await makeQueue({}, 60, (_request, response) => {
      response.writeHead(status, { 'retry-after': header() }).end();
    });
    const next = await drainQueue(subscription.id);
    const sent = target.received.length;
    expect(sent).toBeLessThanOrEqual(20);
    const wait = ((await row()).holdUntil?.getTime() ?? 0) - Date.now();
    expect(wait).toBeGreaterThan(ms - 60_000);
    expect(wait).toBeLessThanOrEqual(ms + 1000);
    expect(Math.abs(Date.parse(next?.at ?? '') - Date.now() - wait)).toBeLessThan(5_000);
    await more(5);
    await drainQueue(subscription.id);
    expect(target.received).toHaveLength(sent);
    const untouched = (await deliveriesOf(subscription.id)).filter((delivery) => delivery.attemptCount === 0);
    expect(untouched).toHaveLength(65 - sent);
    expect(untouched.every((delivery) => delivery.status === 'pending')).toBe(true);
  });

  it('in a date holds for whole seconds', async () => {
    const { subscription, row } = await makeQueue({}, 1, (_request, response) => {
      response.writeHead(429, { 'retry-after': new Date(Date.now() + 2_000).toUTCString() }).end();
    });
    await drainQueue(subscription.id);
    const { holdUntil, lastAttemptAt } = await row();
    const wait = (holdUntil?.getTime() ?? 0) - (lastAttemptAt?.getTime() ?? 0);
    expect([1_000, 2_000]).toContain(wait);
  });

  it.each([500, 404, 302])('in a %d delays only the retry of that delivery', async (status) => {
    const { subscription, target, row, more } = await makeQueue({ retryBaseDelayMs: 1000 }, 1, (_request, response) => {
      response.writeHead(status, { 'retry-after': '3600' }).end();
    });
    await drainQueue(subscription.id);
    const [delivery] = await deliveriesOf(subscription.id);
    const wait = (delivery?.nextAttemptAt?.getTime() ?? 0) - Date.now();
    expect(wait).toBeGreaterThan(3_540_000);
    expect(wait).toBeLessThanOrEqual(3_601_000);
    expect(await row()).toMatchObject({ holdUntil: null, consecutiveFailures: 1 });
    await more(1);
    await drainQueue(subscription.id);
    expect(target.received).toHaveLength(2);
  });

  it('releases the subscription when it ends', async () => {
    let status = 500;
    const { subscription, set, counts } = await makeQueue({ retryBaseDelayMs: 1000 }, 1, (_request, response) => {
      response.writeHead(status).end();
    });
    await drainQueue(subscription.id);
    status = 200;
    await db.webhookDelivery.updateMany({
      where: { subscriptionId: subscription.id },
      data: { nextAttemptAt: past() },
    });
    await set({ holdUntil: new Date(Date.now() + 60_000) });
    await drainQueue(subscription.id);
    expect(await counts()).toEqual({ pending: 1 });
    await set({ holdUntil: past() });
    await drainQueue(subscription.id);
    expect(await counts()).toEqual({ delivered: 1 });
  });
});

it('a failure of our own name servers is no strike against the receiver, and ends no delivery', async () => {
  const { subscription, row, counts } = await makeQueue({ circuitBreakerThreshold: 1, maxRetries: 0 }, 1);
  const [attempt] = await claimDue(subscription.id, 1);
  if (!attempt) throw new Error('Nothing was claimed');
  const result = await post(webhookAgent(), attempt);
  const failed = { ...result, succeeded: false, status: null, errorClass: 'dns_error' as const, blameless: true };
  const errorMessage = blamelessMessages.ownResolver;
  await completeAttempts([{ attempt, result: { ...failed, errorMessage } }]);
  expect(await row()).toMatchObject({ breakerState: 'closed', consecutiveFailures: 0, failingSince: null });
  expect(await counts()).toEqual({ pending: 1 });
  await db.webhookDelivery.updateMany({
    where: { subscriptionId: subscription.id },
    data: { nextAttemptAt: past() },
  });
  expect(await claimDue(subscription.id, 1)).toMatchObject([{ number: 2, failures: 0 }]);
});
