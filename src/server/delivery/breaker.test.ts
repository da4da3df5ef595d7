import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { db } from '@/server/db';
import { claimProbe } from '@/server/delivery/attempts/claim';
import { closeBreaker, maxConcurrentRequests } from '@/server/delivery/breaker';
import { drainQueue } from '@/server/delivery/drain-queue';
import { findStalledQueues } from '@/server/delivery/queue/queue';
import { makeQueue } from '@/test/queue';
import type { Respond } from '@/test/receiver';

/** A customer's server that responds with the status that is set. */
function switchable() {
  const server = { status: 500, respond: ((_request, response) => response.writeHead(server.status).end()) as Respond };
  return server;
}

const past = () => new Date(Date.now() - 1000);

describe('an open breaker', () => {
  it.each([1, 3, 10])(
    'lets no more than its threshold of %i requests fail, however slowly they fail',
    async (threshold) => {
      const settings = { circuitBreakerThreshold: threshold, maxRetries: 0 };
      const { subscription, target } = await makeQueue(settings, 30, (_request, response) => {
        setTimeout(() => response.writeHead(500).end(), 40);
      });
      await drainQueue(subscription.id);
      expect(target.received).toHaveLength(threshold);
    },
  );

  it('opens at its threshold; other deliveries and new ones are held and use no attempt', async () => {
    const { subscription, target, more, counts, row } = await makeQueue(
      { circuitBreakerThreshold: 12 },
      40,
      switchable().respond,
    );
    const next = await drainQueue(subscription.id);
    expect(target.received).toHaveLength(12);
    expect(await counts()).toEqual({ 'held breaker': 40 });
    const { breakerState, breakerOpenedAt, breakerRetryAt, consecutiveFailures } = await row();
    expect({ breakerState, consecutiveFailures }).toEqual({ breakerState: 'open', consecutiveFailures: 12 });
    expect((breakerRetryAt?.getTime() ?? 0) - (breakerOpenedAt?.getTime() ?? 0)).toBe(60_000);
    expect(Date.parse(next?.at ?? '')).toBeCloseTo(breakerRetryAt?.getTime() ?? 0, -2);
    await more(3);
    await drainQueue(subscription.id);
    expect(await counts()).toEqual({ 'held breaker': 43 });
    expect(target.received).toHaveLength(12);
    const spent = await db.webhookDelivery.aggregate({
      where: { subscriptionId: subscription.id },
      _sum: { attemptCount: true },
    });
    expect(spent._sum.attemptCount).toBe(12);
  });

  it('counts failures in a row: a success resets the count', async () => {
    let count = 0;
    const { subscription, row } = await makeQueue(
      { circuitBreakerThreshold: 4, maxRetries: 0 },
      20,
      (_request, response) => {
        count += 1;
        response.writeHead(count % 3 === 0 ? 200 : 500).end();
      },
    );
    await drainQueue(subscription.id);
    expect(await row()).toMatchObject({ breakerState: 'closed' });
  });

  it('does nothing when it is turned off', async () => {
    const settings = { enableCircuitBreaker: false, circuitBreakerThreshold: 1, maxRetries: 0 };
    const { subscription, target, counts } = await makeQueue(settings, 25, switchable().respond);
    await drainQueue(subscription.id);
    expect(target.received).toHaveLength(25);
    expect(await counts()).toEqual({ failed: 25 });
  });

  it('lets one probe through at a time; its failure opens it again and uses no retry', async () => {
    const { subscription, target, row, set, counts, attempts } = await makeQueue(
      { circuitBreakerThreshold: 2, maxRetries: 0 },
      15,
      switchable().respond,
    );
    await drainQueue(subscription.id);
    const before = target.received.length;
    const left = (await counts())['held breaker'];
    await set({ breakerRetryAt: past() });
    await Promise.all(Array.from({ length: 6 }, () => drainQueue(subscription.id)));
    expect(target.received).toHaveLength(before + 1);
    const { breakerState, breakerRetryAt } = await row();
    expect(breakerState).toBe('open');
    expect(breakerRetryAt?.getTime()).toBeGreaterThan(Date.now() + 30_000);
    expect((await counts())['held breaker']).toBe(left);
    const probes = (await attempts()).filter((attempt) => attempt.trigger === 'probe');
    expect(probes).toMatchObject([{ outcome: 'failed', responseStatus: 500 }]);
    expect(probes[0]?.nextAttemptAt).not.toBeNull();
  });

  it.each([0, 1])('is probed ever later, whatever its timeout; an answer asks to wait for %i s', async (wait) => {
    // The first failure opens it, which one that asks to wait would not.
    let asks = false;
    const { subscription, row, set } = await makeQueue(
      { circuitBreakerThreshold: 1, circuitBreakerTimeoutMs: 100 },
      1,
      (_request, response) => {
        response.writeHead(503, asks ? { 'retry-after': String(wait) } : {}).end();
        asks = wait > 0;
      },
    );
    await drainQueue(subscription.id);
    const waits: number[] = [];
    for (let failed = 0; failed < 4; failed += 1) {
      const { breakerOpenedAt, breakerRetryAt } = await row();
      waits.push((breakerRetryAt?.getTime() ?? 0) - (breakerOpenedAt?.getTime() ?? 0));
      await set({ breakerRetryAt: past(), holdUntil: null });
      await drainQueue(subscription.id);
    }
    expect(waits).toEqual([100, 1_000, 2_000, 3_000]);
    await set({ breakerRetryAt: past(), holdUntil: null, consecutiveFailures: 5_000 });
    await drainQueue(subscription.id);
    const { breakerOpenedAt, breakerRetryAt } = await row();
    expect((breakerRetryAt?.getTime() ?? 0) - (breakerOpenedAt?.getTime() ?? 0)).toBe(60_000);
  });

  it('probes with another delivery each time, so that one bad event cannot keep it open', async () => {
    const { subscription, target, set } = await makeQueue(
      { circuitBreakerThreshold: 1, retryBaseDelayMs: 60_000 },
      12,
      switchable().respond,
    );
    await drainQueue(subscription.id);
    const tried = target.received.length;
    for (let round = 0; round < 2; round += 1) {
      await set({ breakerRetryAt: past() });
      await drainQueue(subscription.id);
    }
    const probed = target.eventIds().slice(tried);
    expect(probed).toHaveLength(2);
    expect(new Set(probed).size).toBe(2);
  });

  it('closes after a successful probe and releases what it held, in order', async () => {
    const server = switchable();
    const { subscription, target, row, set, counts, eventIds } = await makeQueue(
      { circuitBreakerThreshold: 1, retryBaseDelayMs: 60_000 },
      30,
      server.respond,
    );
    await drainQueue(subscription.id);
    const failed = new Set(target.eventIds());
    const untried = eventIds.filter((id) => !failed.has(id));
    expect(untried.length).toBeGreaterThan(10);
    const before = target.received.length;
    server.status = 200;
    await set({ breakerRetryAt: past() });
    const next = await drainQueue(subscription.id);
    expect(target.eventIds().slice(before)).toEqual(untried.slice(0, 1));
    expect(await row()).toMatchObject({ breakerState: 'closed', consecutiveFailures: 0, breakerOpenedAt: null });
    expect(next?.inMs).toBe(0);
    await drainQueue(subscription.id);
    // Several requests are under way at a time: a request may overtake the nine before it.
    const arrived = target.eventIds().slice(before);
    expect(new Set(arrived)).toEqual(new Set(untried));
    for (const [index, id] of arrived.entries()) expect(Math.abs(untried.indexOf(id) - index)).toBeLessThan(10);
    expect(await counts()).toEqual({ delivered: untried.length, pending: failed.size });
  });

  it('is probed again when the process that probed died', async () => {
    const server = switchable();
    const { subscription, target, row, set, attempts } = await makeQueue(
      { circuitBreakerThreshold: 1 },
      3,
      server.respond,
    );
    await drainQueue(subscription.id);
    await set({ breakerRetryAt: past() });
    const lost = await claimProbe(subscription.id);
    expect(lost?.probe).toBe(true);
    expect(await row()).toMatchObject({ breakerState: 'half_open' });
    const before = target.received.length;
    expect(await claimProbe(subscription.id)).toBeNull();
    await drainQueue(subscription.id);
    expect(target.received).toHaveLength(before);
    server.status = 200;
    await set({ breakerRetryAt: past() });
    await db.webhookDelivery.update({
      where: { id: lost?.deliveryId },
      data: { claimedUntil: past(), nextAttemptAt: past() },
    });
    await drainQueue(subscription.id);
    expect(await row()).toMatchObject({ breakerState: 'closed' });
    expect((await attempts()).find((attempt) => attempt.id === lost?.attemptId)?.outcome).toBe('unknown');
  });

  it('closed by hand, it sends everything at once', async () => {
    const server = switchable();
    const { subscription, row, counts } = await makeQueue(
      { circuitBreakerThreshold: 1, retryBaseDelayMs: 1000 },
      25,
      server.respond,
    );
    await drainQueue(subscription.id);
    server.status = 200;
    await db.$transaction((tx) => closeBreaker(tx, subscription.id));
    expect(await row()).toMatchObject({ breakerState: 'closed', consecutiveFailures: 0, breakerRetryAt: null });
    expect(await counts()).toEqual({ pending: 25 });
    await drainQueue(subscription.id);
    expect((await counts()).delivered).toBeGreaterThan(10);
  });

  it('is found by the sweep when its probe is overdue', async () => {
    const { subscription, set } = await makeQueue({ circuitBreakerThreshold: 1 }, 2, switchable().respond);
    await drainQueue(subscription.id);
    expect(await findStalledQueues(20, 500)).not.toContain(subscription.id);
    await set({ breakerRetryAt: new Date(Date.now() - 30_000) });
    expect(await findStalledQueues(20, 500)).toContain(subscription.id);
  });
});

describe('maxConcurrentRequests', () => {
  it('never allows more failures in a row than open the breaker', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.nat(80),
        fc.integer({ min: 1, max: 10 }),
        (threshold, streak, parallel) => {
          const max = maxConcurrentRequests(parallel, threshold, streak);
          expect(max).toBeLessThanOrEqual(parallel);
          expect(max).toBeGreaterThanOrEqual(0);
          expect(streak + max).toBeLessThanOrEqual(Math.max(threshold, streak));
        },
      ),
    );
    expect(maxConcurrentRequests(10, null, 500)).toBe(10);
    expect(maxConcurrentRequests(10, 1, 0)).toBe(1);
    expect(maxConcurrentRequests(10, 10, 0)).toBe(10);
  });
});
