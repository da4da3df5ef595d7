import { afterEach, describe, expect, it } from 'vitest';
import { newId } from '@/domain/ids';
import { db, pool } from '@/server/db';
import { keptSubscriptionsSql } from '@/server/delivery/attempts/deletions';
import { CLAIM, evaluateHealth, runHealthChecks } from '@/server/delivery/health-checks';
import { handshakes } from '@/server/delivery/sending/handshakes';
import { makeProject, makeSubscription } from '@/test/factories';
import { holdLock } from '@/test/locks';
import { makeQueue, openReceiver } from '@/test/queue';
import { type Respond, until } from '@/test/receiver';

afterEach(async () => {
  await db.webhookSubscription.updateMany({ data: { status: 'disabled' } });
});

describe('health checks', () => {
  const check = { enabled: true, intervalSeconds: 60, expectedStatusCodes: [200, 418] };
  const status =
    (code: number): Respond =>
    (_request, response) =>
      response.writeHead(code).end();

  it.each([
    [418, 'healthy', 'Responded with 418'],
    [503, 'unhealthy', 'Responded with 503; expected 200, 418.'],
    [302, 'unhealthy', 'Responded with 302'],
  ])('a receiver that responds with %i is %s', async (code, health, detail) => {
    const { target, row } = await makeQueue({ healthCheck: check }, 0, status(code));
    expect(await runHealthChecks()).toBe(1);
    const { healthStatus, healthDetail, healthCheckedAt } = await row();
    expect(healthStatus).toBe(health);
    expect(healthDetail).toContain(detail);
    expect(healthCheckedAt?.getTime()).toBeGreaterThan(Date.now() - 60_000);
    expect(target.received).toMatchObject([{ method: 'GET', url: '/hook', body: '' }]);
    expect(Object.keys(target.received[0]?.headers ?? {}).some((name) => /webhook|authorization/.test(name))).toBe(
      false,
    );
  });

  it('go to their own URL where one is set, through the same guard', async () => {
    const { target, set, row } = await makeQueue({ healthCheck: check }, 0, status(200));
    await set({ healthCheck: { ...check, url: target.url.replace('/hook', '/alive?deep=1') } });
    await runHealthChecks();
    expect(target.received.map((request) => request.url)).toEqual(['/alive?deep=1']);
    await set({ healthCheck: { ...check, url: 'http://10.0.0.1/alive' }, healthCheckedAt: null });
    await runHealthChecks();
    expect(await row()).toMatchObject({ healthStatus: 'unhealthy', healthDetail: expect.stringContaining('10.0.0.1') });
  });

  it('wait as deliveries do where the TLS handshakes of a project take long, and hold up no other one', async () => {
    const [slow, other] = [
      await makeQueue({ healthCheck: check }, 0, status(200)),
      await makeQueue({ healthCheck: check }, 0, status(200)),
    ];
    handshakes.begin(slow.project.id)(1_000);
    await runHealthChecks(500);
    expect([slow.target.received.length, other.target.received.length]).toEqual([0, 1]);
  });

  it('are made when due, once across processes, and not for disabled subscriptions or checks', async () => {
    const { target, set } = await makeQueue({ healthCheck: check, status: 'paused' }, 0, status(200));
    const made = await Promise.all([runHealthChecks(), runHealthChecks(), runHealthChecks()]);
    expect(made.reduce((sum, count) => sum + count, 0)).toBe(1);
    expect(await runHealthChecks()).toBe(0);
    await set({ healthCheckedAt: new Date(Date.now() - 61_000) });
    expect(await runHealthChecks()).toBe(1);
    await set({ healthCheckedAt: null, healthCheck: { ...check, enabled: false } });
    expect(await runHealthChecks()).toBe(0);
    await set({ healthCheck: check, status: 'disabled' });
    expect(await runHealthChecks()).toBe(0);
    expect(target.received).toHaveLength(2);
  });

  it('of a project with hundreds that hang keep no other project waiting', async () => {
    const { project } = await makeProject();
    const hanging = await openReceiver(() => undefined);
    const settings = { url: hanging.url, healthCheck: check, timeoutMs: 2_000 };
    // The longest overdue come first, and these are.
    const overdue = { ...settings, healthCheckedAt: new Date(Date.now() - 3_600_000) };
    for (let count = 0; count < 120; count += 1) await makeSubscription(project.id, overdue);
    const { row } = await makeQueue(
      { healthCheck: check, healthCheckedAt: new Date(Date.now() - 61_000) },
      0,
      status(200),
    );
    const checking = runHealthChecks();
    await until(async () => (await row()).healthStatus === 'healthy');
    // Those that hang take two seconds each; the other one did not wait for the second round of them.
    expect(hanging.received.length).toBeLessThan(40);
    await db.webhookSubscription.updateMany({ where: { projectId: project.id }, data: { status: 'disabled' } });
    await checking;
  });

  it('of projects that together hold all places keep none waiting that becomes due meanwhile', async () => {
    const hanging = await openReceiver(() => undefined);
    const hostile: string[] = [];
    for (let count = 0; count < 4; count += 1) {
      const { project } = await makeProject();
      hostile.push(project.id);
      const settings = { url: hanging.url, healthCheck: check, timeoutMs: 4_000 };
      for (let each = 0; each < 10; each += 1) await makeSubscription(project.id, settings);
    }
    const checking = runHealthChecks();
    await until(() => hanging.received.length === 40);
    const { row } = await makeQueue({ healthCheck: check }, 0, status(200));
    await until(async () => (await row()).healthStatus === 'healthy');
    const ended = { projectId: { in: hostile }, healthStatus: 'unhealthy' } as const;
    expect(await db.webhookSubscription.count({ where: ended })).toBe(0);
    await checking;
  });

  it('of many projects of one person keep none of another waiting', async () => {
    const hanging = await openReceiver(() => undefined);
    const createdFrom = newId('req');
    const ids: string[] = [];
    for (let count = 0; count < 170; count += 1) {
      const { project } = await makeProject();
      ids.push(project.id);
      await makeSubscription(project.id, { url: hanging.url, healthCheck: check, timeoutMs: 10_000 });
    }
    await db.project.updateMany({ where: { id: { in: ids } }, data: { createdFrom } });
    const checking = runHealthChecks();
    await until(() => hanging.received.length === 80);
    const { row } = await makeQueue({ healthCheck: check }, 0, status(200));
    await until(async () => (await row()).healthStatus === 'healthy');
    const ended = { projectId: { in: ids }, healthStatus: 'unhealthy' } as const;
    expect(await db.webhookSubscription.count({ where: ended })).toBe(0);
    await db.webhookSubscription.updateMany({ where: { projectId: { in: ids } }, data: { status: 'disabled' } });
    await checking;
  });

  it('that are just claimed hide their subscriptions from nobody who stores deliveries', async () => {
    const { row } = await makeQueue({ healthCheck: check }, 0, status(200));
    const { id } = await row();
    const release = await holdLock(CLAIM, [40, [], [], 40, [], []]);
    const { rows } = await pool.query(keptSubscriptionsSql('$1'), [[id]]);
    await release();
    expect(rows).toHaveLength(1);
  });

  it('that hang time out and do not delay others', async () => {
    const hanging = await makeQueue({ healthCheck: check, timeoutMs: 1000 }, 0, () => undefined);
    const well = await makeQueue({ healthCheck: check }, 0, status(200));
    expect(await runHealthChecks()).toBe(2);
    expect(await hanging.row()).toMatchObject({ healthStatus: 'unhealthy' });
    expect(await well.row()).toMatchObject({ healthStatus: 'healthy' });
  });
});

describe('a health check', () => {
  const result = (status: number | null, errorClass: string | null, errorMessage: string | null = null) => ({
    status,
    errorClass,
    errorMessage,
    durationMs: 12,
  });
  it.each([
    ['an expected status', result(204, null), [204], 'healthy', 'Responded with 204 in 12 ms.'],
    [
      'an expected error',
      result(401, 'http_4xx', 'The receiver responded with 401.'),
      [401],
      'healthy',
      'Responded with 401 in 12 ms.',
    ],
    ['another status', result(500, 'http_5xx', 'x'), [200, 204], 'unhealthy', 'Responded with 500; expected 200, 204.'],
    ['no configured status', result(200, null), [], 'healthy', 'Responded with 200 in 12 ms.'],
    [
      'a response that does not end',
      result(200, 'timeout', 'No complete response.'),
      [200],
      'unhealthy',
      'No complete response.',
    ],
    ['no response', result(null, 'connect_refused', 'Refused.'), [200], 'unhealthy', 'Refused.'],
  ])('%s', (_name, response, expected, status, detail) => {
    expect(evaluateHealth(response, expected)).toEqual({ status, detail });
  });
});
