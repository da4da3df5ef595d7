import { describe, expect, it } from 'vitest';
import { db, pool, reportPools } from '@/server/db';
import { makeAttempts, makeDeliveries } from '@/test/deliveries';
import { emitEvents, makeProject, makeSubscription } from '@/test/factories';
import { setupTestServer } from '@/test/server';

const server = setupTestServer();

const inside = 'http://127.0.0.1:9/hook';
const at = (text: string) => new Date(`2026-11-${text}:00.000Z`);
type Bucket = { at: string; attempts: number; succeeded: number; failed: number; p50Ms: number; p95Ms: number };
type Analytics = { bucket: string; timeline: Bucket[]; [field: string]: unknown };

async function setUp() {
  const { project, owner } = await makeProject();
  const subscription = await makeSubscription(project.id, { url: inside });
  const analytics = (query: Record<string, string>) =>
    server.get<Analytics>(`/webhooks/subscriptions/${subscription.id}/analytics?${new URLSearchParams(query)}`, {
      bearer: owner.bearer,
    });
  return { project, owner, subscription, analytics };
}

const ok = (startedAt: Date, durationMs: number) => ({ startedAt, durationMs, responseStatus: 200 });
const bad = (startedAt: Date, durationMs: number | null, errorClass: string, responseStatus: number | null = null) => ({
  startedAt,
  durationMs,
  errorClass,
  responseStatus,
  outcome: 'failed' as const,
});

describe('analytics', () => {
  it('count a known day correctly', async () => {
    const { project, subscription, analytics } = await setUp();
    const other = await makeSubscription(project.id, { url: inside });
    const eventIds = await emitEvents(project.id, 8);
    const make = async (index: number, status: 'delivered' | 'failed' | 'expired' | 'pending', data: object) => {
      const [id = ''] = await makeDeliveries(subscription, eventIds.slice(index, index + 1), { status, ...data });
      return id;
    };
    const first = await make(0, 'delivered', { createdAt: at('20T10:05') });
    await makeAttempts(first, [ok(at('20T10:05'), 100)]);
    const second = await make(1, 'delivered', { createdAt: at('20T10:59') });
    await makeAttempts(second, [
      bad(at('20T10:59'), 300, 'http_5xx', 503),
      { startedAt: at('20T11:00'), outcome: 'unknown' },
      ok(at('20T11:10'), 200),
    ]);
    const third = await make(2, 'failed', { createdAt: at('20T11:30') });
    await makeAttempts(third, [
      bad(at('20T11:30'), 10_000, 'timeout'),
      bad(at('20T11:40'), 400, 'http_5xx', 500),
      bad(at('20T11:50'), 20, 'connect_refused'),
    ]);
    // Under way, of a test, of another subscription, before and after the range: none of these counts among attempts.
    const fourth = await make(3, 'pending', { createdAt: at('20T11:55') });
    await makeAttempts(fourth, [{ startedAt: at('20T11:55'), outcome: 'running' }]);
    const test = await make(4, 'delivered', { createdAt: at('20T10:30'), isTest: true });
    await makeAttempts(test, [ok(at('20T10:30'), 9_000)]);
    const [foreign = ''] = await makeDeliveries(other, eventIds.slice(0, 1), {
      status: 'delivered',
      createdAt: at('20T10:30'),
    });
    await makeAttempts(foreign, [ok(at('20T10:30'), 9_000)]);
    const edges = await make(5, 'expired', { createdAt: at('20T09:59') });
    await makeAttempts(edges, [ok(at('20T09:59'), 9_000), ok(at('20T12:00'), 9_000)]);
    // Weeks old, and sent again within the range.
    const old = await make(6, 'delivered', { createdAt: at('01T08:00'), replayedAt: at('20T11:20') });
    await makeAttempts(old, [bad(at('01T08:00'), 50, 'dns_error'), ok(at('20T11:20'), 600)]);

    const range = { from: '2026-11-20T10:00:00Z', to: '2026-11-20T12:00:00Z', bucket: '1h' };
    const { body, status } = await analytics(range);
    expect(status).toBe(200);
    expect(body).toEqual({
      subscriptionId: subscription.id,
      from: '2026-11-20T10:00:00.000Z',
      to: '2026-11-20T12:00:00.000Z',
      bucket: '1h',
      deliveries: { total: 5, delivered: 3, failed: 1, expired: 0, pending: 1, held: 0, successRate: 0.75 },
      attempts: { total: 8, succeeded: 3, failed: 4, unknown: 1, successRate: 0.375 },
      // Of 100, 300, 200, 400 and 600 ms; silence has no response time.
      responseTime: { p50Ms: 300, p95Ms: 560, p99Ms: 592 },
      timeline: [
        { at: '2026-11-20T10:00:00.000Z', attempts: 2, succeeded: 1, failed: 1, p50Ms: 200, p95Ms: 290 },
        { at: '2026-11-20T11:00:00.000Z', attempts: 6, succeeded: 2, failed: 3, p50Ms: 400, p95Ms: 580 },
      ],
      failures: [
        { errorType: 'http_5xx', count: 2, lastAt: '2026-11-20T11:40:00.000Z' },
        { errorType: 'connect_refused', count: 1, lastAt: '2026-11-20T11:50:00.000Z' },
        { errorType: 'timeout', count: 1, lastAt: '2026-11-20T11:30:00.000Z' },
        { errorType: 'unknown', count: 1, lastAt: '2026-11-20T11:00:00.000Z' },
      ],
    });
    const finer = await analytics({ ...range, bucket: '15m' });
    expect(finer.body.timeline.map((bucket) => bucket.attempts)).toEqual([1, 0, 0, 1, 2, 1, 2, 1]);
    expect(finer.body.timeline[1]).toMatchObject({ p50Ms: null, p95Ms: null });
  });

  it('without attempts are zeros and nulls, in buckets that fit the range', async () => {
    const { analytics } = await setUp();
    const fitting = { '1h': ['1m', 60], '24h': ['1h', 24], '7d': ['6h', 28], '30d': ['1d', 30] } as const;
    for (const [range, [bucket, count]] of Object.entries(fitting)) {
      const { body } = await analytics({ range });
      expect([range, body.bucket, body.timeline.length]).toEqual([range, bucket, count]);
      expect(body).toMatchObject({
        deliveries: { total: 0, successRate: null },
        attempts: { total: 0, successRate: null },
        responseTime: { p50Ms: null, p95Ms: null },
        failures: [],
      });
    }
  });

  it.each<[Record<string, string>, string]>([
    [{ range: '2y' }, 'range'],
    [{ bucket: '10s' }, 'bucket'],
    [{ range: '30d', bucket: '1m' }, 'bucket'],
    [{ from: '2026-01-01T00:00:00Z', to: '2026-11-20T00:00:00Z' }, 'from'],
    [{ from: '2026-11-20T00:00:00Z', to: '2026-11-20T00:00:00Z' }, 'to'],
    [{ from: 'yesterday' }, 'from'],
  ])('refuse %j', async (query, path) => {
    const { analytics } = await setUp();
    const refused = await analytics(query);
    expect(refused.status).toBe(400);
    expect(refused.text).toContain(`"path":"${path}"`);
  });
});

/** Rows that a plan reads and discards, as it does without an index. */
async function wasteOf(sql: string, values: unknown[]): Promise<{ wasted: number; sequential: string[] }> {
  type Node = { 'Node Type': string; 'Relation Name'?: string; 'Rows Removed by Filter'?: number; Plans?: Node[] };
  const { rows } = await pool.query<{ 'QUERY PLAN': { Plan: Node }[] }>(
    `EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`,
    values,
  );
  const found = { wasted: 0, sequential: [] as string[] };
  const visit = (node: Node) => {
    if (node['Relation Name']) found.wasted += node['Rows Removed by Filter'] ?? 0;
    if (node['Node Type'] === 'Seq Scan' && node['Relation Name']) found.sequential.push(node['Relation Name']);
    for (const each of node.Plans ?? []) visit(each);
  };
  const [plan] = rows[0]?.['QUERY PLAN'] ?? [];
  if (plan) visit(plan.Plan);
  return found;
}

it('read a long history by index', async () => {
  const { project, subscription, owner } = await setUp();
  const [eventId] = await emitEvents(project.id, 1);
  // A hundred thousand deliveries over a hundred days, an attempt each.
  await pool.query(
    `WITH e AS (
       INSERT INTO domain_event (id, "projectId", type, "aggregateType", "aggregateId", payload)
       SELECT 'evt_h' || n, "projectId", type, "aggregateType", "aggregateId", payload
       FROM domain_event, generate_series(1, 100000) n WHERE id = $1 RETURNING id)
     INSERT INTO webhook_delivery (id, "subscriptionId", "projectId", "eventId", "eventType", status, "attemptCount", "expiresAt", "createdAt", "updatedAt")
     SELECT 'whd_h' || n, $2, $3, 'evt_h' || n, CASE WHEN n % 5000 = 0 THEN 'match.started' ELSE 'participant.registered' END,
       (CASE WHEN n % 100 = 0 THEN 'failed' ELSE 'delivered' END)::delivery_status, 1, now(), now() - n * interval '86.4 seconds', now()
     FROM generate_series(1, 100000) n, (SELECT count(*) FROM e) made`,
    [eventId, subscription.id, project.id],
  );
  await pool.query(
    `INSERT INTO webhook_attempt (id, "deliveryId", number, outcome, "startedAt", "durationMs", "responseStatus", "requestBody")
     SELECT 'wha_h' || n, 'whd_h' || n, 1, 'succeeded', now() - n * interval '86.4 seconds', n % 500, 200, repeat('x', 400)
     FROM generate_series(1, 100000) n`,
  );
  await pool.query('ANALYZE webhook_delivery, webhook_attempt, domain_event');
  const seen: { sql: string; values: unknown[] }[] = [];
  const pools = [pool, reportPools.quick, reportPools.slow];
  const spied = pools.map((each) => {
    const query = each.query.bind(each);
    const spy = (...args: unknown[]) => {
      const [first, values] = args;
      const sql = typeof first === 'string' ? first : (first as { text: string }).text;
      seen.push({ sql, values: (values ?? (first as { values?: unknown[] }).values ?? []) as unknown[] });
      return (query as (...all: unknown[]) => unknown)(...args);
    };
    Object.assign(each, { query: spy });
    return () => Object.assign(each, { query });
  });
  const path = `/webhooks/subscriptions/${subscription.id}`;
  for (const url of [`${path}/analytics`, `${path}/analytics?range=7d`, '/webhooks/dashboard?range=24h', path]) {
    expect((await server.get(url, { bearer: owner.bearer })).status).toBe(200);
  }
  await server.trpc(owner.bearer).webhooks.insight.query({ id: subscription.id });
  for (const restore of spied) restore();
  const ours = seen.filter(({ sql }) => /webhook_(delivery|attempt)/.test(sql));
  expect(ours.length).toBeGreaterThan(5);
  for (const { sql, values } of ours) {
    const { wasted, sequential } = await wasteOf(sql, values);
    expect({ sql, sequential }).toEqual({ sql, sequential: [] });
    expect(wasted, sql).toBeLessThan(2_500);
  }
  const deep = await server.get<{ total: number; items: { id: string }[] }>(
    `${path}/deliveries?type=match.started&from=${new Date(Date.now() - 52 * 86_400_000).toISOString()}&limit=5`,
    { bearer: owner.bearer },
  );
  expect(deep.body).toMatchObject({ total: 10, items: [{ id: 'whd_h5000' }, {}, {}, {}, {}] });
  const failed = await server.get<{ total: number }>(`${path}/deliveries?status=failed&page=40&limit=25`, {
    bearer: owner.bearer,
  });
  expect(failed.body.total).toBe(1_000);
  const preview = await server.get(`${path}/replay`, { bearer: owner.bearer });
  expect(preview.body).toEqual({ total: 1_000 });
  const retried = await server.post(`${path}/retry-failed`, { bearer: owner.bearer });
  expect(retried.body).toEqual({ requeued: 1_000 });
  expect(await db.webhookDelivery.count({ where: { subscriptionId: subscription.id, status: 'pending' } })).toBe(1_000);
}, 120_000);
