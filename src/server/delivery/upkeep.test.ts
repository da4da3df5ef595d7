import { encodeTime } from 'ulid';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { runChecks } from '@/inngest/functions/webhook-upkeep';
import { db } from '@/server/db';
import { drain } from '@/server/delivery/attempts/drain';
import { purgeDeliveries, purgeRecords } from '@/server/delivery/upkeep';
import { registry } from '@/server/metrics';
import { makeQueue } from '@/test/queue';
import type { Answer } from '@/test/receiver';

// Processes that start and leases that end take their time on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

/** Line 14 of the acceptance list, health checks and metrics. */

afterEach(async () => {
  await db.webhookSubscription.updateMany({ data: { status: 'disabled' } });
});

const ago = (days: number) => new Date(Date.now() - days * 86_400_000);

describe('retention', () => {
  /** Ends a delivery `days` ago, as if it had been made then. */
  async function age(subscriptionId: string, days: number): Promise<string> {
    const fresh = `whd_${encodeTime(Date.now() - 3_600_000).toLowerCase()}`;
    const row = await db.webhookDelivery.findFirstOrThrow({ where: { subscriptionId, id: { gt: fresh } } });
    const id = `whd_${encodeTime(ago(days).getTime()).toLowerCase()}${row.id.slice(-16)}`;
    await db.webhookDelivery.update({ where: { id: row.id }, data: { id, completedAt: row.completedAt && ago(days) } });
    return id;
  }

  it('deletes what ended more than 30 days ago, with payloads and attempts, in batches, and nothing else', async () => {
    const { subscription, set, more } = await makeQueue({}, 6);
    await drain(subscription.id);
    const old = [await age(subscription.id, 31), await age(subscription.id, 45), await age(subscription.id, 400)];
    const young = [await age(subscription.id, 29), await age(subscription.id, 2)];
    await set({ status: 'paused' });
    await more(1);
    const held = await age(subscription.id, 60);
    await db.webhookDelivery.update({ where: { id: old[2] ?? '' }, data: { completedAt: new Date() } });

    expect(await purgeDeliveries(new Date(), 1)).toBe(1);
    expect(await purgeDeliveries(new Date(), 10)).toBe(1);
    expect(await purgeDeliveries(new Date(), 10)).toBe(0);
    const left = await db.webhookDelivery.findMany({
      where: { subscriptionId: subscription.id },
      select: { id: true },
    });
    const ids = left.map((row) => row.id);
    // The third was replayed lately.
    expect(ids).toEqual(expect.arrayContaining([...young, held, old[2]]));
    expect(ids).toHaveLength(5);
    const attempts = await db.webhookAttempt.count({ where: { delivery: { subscriptionId: subscription.id } } });
    expect(attempts).toBe(4);
    expect(await db.domainEvent.count({ where: { projectId: subscription.projectId } })).toBe(7);
  });

  it('forgets old replays and counted attempts', async () => {
    const { subscription, project } = await makeQueue({ rateLimitConfig: { perDay: 9 } }, 1);
    await drain(subscription.id);
    await db.webhookReplay.create({
      data: {
        id: `whr_${subscription.id}`,
        subscriptionId: subscription.id,
        projectId: project.id,
        filter: {},
        total: 0,
        createdById: 'usr_1',
        createdAt: ago(31),
      },
    });
    await purgeRecords(new Date());
    expect(await db.webhookReplay.count({ where: { subscriptionId: subscription.id } })).toBe(0);
    expect(await db.webhookRateBucket.count({ where: { subscriptionId: subscription.id } })).toBe(1);
    await purgeRecords(new Date(Date.now() + 3 * 86_400_000));
    expect(await db.webhookRateBucket.count({ where: { subscriptionId: subscription.id } })).toBe(0);
  });
});

describe('health checks', () => {
  const check = { enabled: true, intervalSeconds: 60, expectedStatusCodes: [200, 418] };
  const status =
    (code: number): Answer =>
    (_request, response) =>
      response.writeHead(code).end();

  it.each([
    [418, 'healthy', 'Answered 418'],
    [503, 'unhealthy', 'Answered 503; expected 200, 418.'],
    [302, 'unhealthy', 'Answered 302'],
  ])('a receiver that answers %i is %s', async (code, health, detail) => {
    const { target, row } = await makeQueue({ healthCheck: check }, 0, status(code));
    expect(await runChecks()).toBe(1);
    const { healthStatus, healthDetail, healthCheckedAt } = await row();
    expect(healthStatus).toBe(health);
    expect(healthDetail).toContain(detail);
    expect(healthCheckedAt?.getTime()).toBeGreaterThan(Date.now() - 60_000);
    expect(target.received).toMatchObject([{ method: 'GET', url: '/hook', body: '' }]);
    expect(Object.keys(target.received[0]?.headers ?? {}).some((name) => /webhook|authorization/.test(name))).toBe(
      false,
    );
  });

  it('go to an address of their own where one is named, through the same guard', async () => {
    const { target, set, row } = await makeQueue({ healthCheck: check }, 0, status(200));
    await set({ healthCheck: { ...check, url: target.url.replace('/hook', '/alive?deep=1') } });
    await runChecks();
    expect(target.received.map((request) => request.url)).toEqual(['/alive?deep=1']);
    await set({ healthCheck: { ...check, url: 'http://10.0.0.1/alive' }, healthCheckedAt: null });
    await runChecks();
    expect(await row()).toMatchObject({ healthStatus: 'unhealthy', healthDetail: expect.stringContaining('10.0.0.1') });
  });

  it('are made when due, once over any number of processes, and not of what is disabled or switched off', async () => {
    const { target, set } = await makeQueue({ healthCheck: check, status: 'paused' }, 0, status(200));
    const made = await Promise.all([runChecks(), runChecks(), runChecks()]);
    expect(made.reduce((sum, count) => sum + count, 0)).toBe(1);
    expect(await runChecks()).toBe(0);
    await set({ healthCheckedAt: new Date(Date.now() - 61_000) });
    expect(await runChecks()).toBe(1);
    await set({ healthCheckedAt: null, healthCheck: { ...check, enabled: false } });
    expect(await runChecks()).toBe(0);
    await set({ healthCheck: check, status: 'disabled' });
    expect(await runChecks()).toBe(0);
    expect(target.received).toHaveLength(2);
  });

  it('that hang are given up, and do not keep others waiting', async () => {
    const hanging = await makeQueue({ healthCheck: check, timeoutMs: 1000 }, 0, () => undefined);
    const well = await makeQueue({ healthCheck: check }, 0, status(200));
    expect(await runChecks()).toBe(2);
    expect(await hanging.row()).toMatchObject({ healthStatus: 'unhealthy' });
    expect(await well.row()).toMatchObject({ healthStatus: 'healthy' });
  });
});

describe('metrics', () => {
  it('count requests by outcome and class, and say what waits and for how long', async () => {
    const { subscription, set, more } = await makeQueue({ maxRetries: 0, enableCircuitBreaker: false }, 3, status500);
    await drain(subscription.id);
    await more(4);
    await db.webhookDelivery.updateMany({
      where: { subscriptionId: subscription.id, status: 'pending' },
      data: { nextAttemptAt: new Date(Date.now() - 30_000) },
    });
    const text = await registry.metrics();
    const value = (line: RegExp) => Number(line.exec(text)?.[1]);
    expect(
      value(/laurel_webhook_attempts_total\{outcome="failed",error_class="http_5xx"\} (\d+)/),
    ).toBeGreaterThanOrEqual(3);
    expect(value(/laurel_webhook_attempt_duration_seconds_count\{outcome="failed"\} (\d+)/)).toBeGreaterThanOrEqual(3);
    expect(value(/laurel_webhook_deliveries_waiting\{status="pending"\} (\d+)/)).toBeGreaterThanOrEqual(4);
    expect(value(/laurel_webhook_overdue_seconds (\d+)/)).toBeGreaterThanOrEqual(29);
    await set({ status: 'paused' });
    await drain(subscription.id);
    expect(/laurel_webhook_deliveries_waiting\{status="held"\} (\d+)/.exec(await registry.metrics())?.[1]).not.toBe(
      '0',
    );
  });
});

const status500: Answer = (_request, response) => response.writeHead(500).end();
