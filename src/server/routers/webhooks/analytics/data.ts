import { type Asker, report } from '@/server/report';
import type { Health } from '@/server/routers/webhooks/analytics/schema';

/** Deliveries by status. */
export type DeliveryCounts = {
  total: number;
  delivered: number;
  failed: number;
  expired: number;
  pending: number;
  held: number;
  successRate: number | null;
};

const noDeliveries = { total: 0, delivered: 0, failed: 0, expired: 0, pending: 0, held: 0, successRate: null };

/** From 0 to 1; null when there is nothing to count. */
export function successRate({ good, bad }: { good: number; bad: number }): number | null {
  return good + bad === 0 ? null : good / (good + bad);
}

// Counts each status by itself, from an index that is ordered by time, without reading rows.
const COUNTS = `
  SELECT s.id AS "subscriptionId", t.status::text AS status, n.count FROM unnest($1::text[]) AS s (id)
  CROSS JOIN unnest(enum_range(NULL::delivery_status)) AS t (status)
  CROSS JOIN LATERAL (
    SELECT count(*)::int AS count FROM webhook_delivery
    WHERE "subscriptionId" = s.id AND status = t.status AND "createdAt" >= $2 AND "createdAt" < $3) n
  WHERE n.count > 0`;

/** Deliveries made in a span, tests included, for each subscription. */
export async function countDeliveries(
  asker: Asker,
  ids: string[],
  from: Date,
  to: Date,
): Promise<Map<string, DeliveryCounts>> {
  type Row = { subscriptionId: string; status: 'pending' | 'held' | 'delivered' | 'failed' | 'expired'; count: number };
  const rows = await report<Row>(asker, { text: COUNTS, values: [ids, from, to] });
  const counts = new Map<string, DeliveryCounts>(ids.map((id) => [id, { ...noDeliveries }]));
  for (const { subscriptionId, status, count } of rows) {
    const each = counts.get(subscriptionId);
    if (!each) continue;
    each[status] = count;
    each.total += count;
    each.successRate = successRate({ good: each.delivered, bad: each.failed + each.expired });
  }
  return counts;
}

/** The sum of counts. */
export function sumCounts(all: Iterable<DeliveryCounts>): DeliveryCounts {
  const sum: DeliveryCounts = { ...noDeliveries };
  for (const each of all) {
    for (const key of ['total', 'delivered', 'failed', 'expired', 'pending', 'held'] as const) sum[key] += each[key];
  }
  return { ...sum, successRate: successRate({ good: sum.delivered, bad: sum.failed + sum.expired }) };
}

const BACKLOG = `
  SELECT s.id, p.count AS pending, h.count AS held, least(p.oldest, h.oldest) AS "oldestAt"
  FROM unnest($1::text[]) AS s (id)
  CROSS JOIN LATERAL (
    SELECT count(*)::int, min("createdAt") AS oldest FROM webhook_delivery
    WHERE "subscriptionId" = s.id AND status = 'pending') p
  CROSS JOIN LATERAL (
    SELECT count(*)::int, min("createdAt") AS oldest FROM webhook_delivery
    WHERE "subscriptionId" = s.id AND status = 'held') h`;

type Backlog = { pending: number; held: number; oldestAt: Date | null };

/** Waiting deliveries of any age, for each subscription. */
export async function countBacklogs(asker: Asker, ids: string[]): Promise<Map<string, Backlog>> {
  const rows = await report<Backlog & { id: string }>(asker, { text: BACKLOG, values: [ids] });
  return new Map(rows.map(({ id, ...counts }) => [id, counts]));
}

const TIMELINES = `
  SELECT "subscriptionId", date_bin($4 * interval '1 second', "createdAt", $2) AS at,
    count(*) FILTER (WHERE status = 'delivered')::int AS delivered,
    count(*) FILTER (WHERE status <> 'delivered')::int AS failed
  FROM webhook_delivery
  WHERE "subscriptionId" = ANY ($1) AND status IN ('delivered', 'failed', 'expired') AND "createdAt" >= $2 AND "createdAt" < $3
  GROUP BY 1, 2`;

/** A span in steps for a small chart: of the deliveries made in each step, how many were delivered and how many failed. */
export async function deliveryTimelines(asker: Asker, ids: string[], from: Date, to: Date, steps: number) {
  const stepMs = (to.getTime() - from.getTime()) / steps;
  type Row = { subscriptionId: string; at: Date; delivered: number; failed: number };
  const rows = await report<Row>(asker, { text: TIMELINES, values: [ids, from, to, stepMs / 1000] });
  const found = new Map(rows.map((row) => [`${row.subscriptionId} ${row.at.getTime()}`, row]));
  const starts = Array.from({ length: steps }, (_, step) => from.getTime() + step * stepMs);
  return new Map(
    ids.map((id) => [
      id,
      starts.map((start) => {
        const { delivered, failed } = found.get(`${id} ${start}`) ?? { delivered: 0, failed: 0 };
        return { at: new Date(start).toISOString(), delivered, failed };
      }),
    ]),
  );
}

/** The health of a subscription in one word. */
export function healthFrom(
  row: {
    status: 'active' | 'paused' | 'disabled';
    breakerState: 'closed' | 'open' | 'half_open';
    healthStatus: 'healthy' | 'unhealthy' | null;
    consecutiveFailures: number;
  },
  counts: Pick<DeliveryCounts, 'total' | 'delivered' | 'failed' | 'expired'>,
): Health {
  if (row.status !== 'active') return row.status;
  if (row.breakerState !== 'closed') return 'failing';
  const bad = counts.failed + counts.expired;
  if (bad > 0 && counts.delivered === 0) return 'failing';
  if (bad > 0 || row.consecutiveFailures > 0 || row.healthStatus === 'unhealthy') return 'degraded';
  return counts.total === 0 ? 'idle' : 'healthy';
}

// An attempt starts within a day after its delivery was made or replayed, so two short spans contain all attempts.
// OFFSET 0 keeps the look-up by delivery; otherwise PostgreSQL may read the attempts of all subscriptions.
const ATTEMPTS = `
  WITH due AS (
    SELECT id FROM webhook_delivery
    WHERE "subscriptionId" = $1 AND "createdAt" >= $2::timestamptz - interval '25 hours' AND "createdAt" < $3 AND NOT "isTest"
    UNION ALL
    SELECT id FROM webhook_delivery
    WHERE "subscriptionId" = $1 AND "replayedAt" >= $2::timestamptz - interval '25 hours'
      AND "createdAt" < $2::timestamptz - interval '25 hours' AND NOT "isTest"
  ), a AS MATERIALIZED (
    SELECT date_bin($4 * interval '1 second', a."startedAt", $2) AS at, a."startedAt", a.outcome, a."errorClass",
      CASE WHEN a."responseStatus" IS NOT NULL THEN a."durationMs" END AS ms
    FROM due CROSS JOIN LATERAL (
      SELECT "startedAt", outcome, "errorClass", "responseStatus", "durationMs" FROM webhook_attempt
      WHERE "deliveryId" = due.id OFFSET 0) a
    WHERE a."startedAt" >= $2 AND a."startedAt" < $3 AND a.outcome <> 'running'
  )`;

const STATISTICS = `${ATTEMPTS}
  SELECT at, count(*)::int AS attempts, count(*) FILTER (WHERE outcome = 'succeeded')::int AS succeeded,
    count(*) FILTER (WHERE outcome = 'failed')::int AS failed, count(*) FILTER (WHERE outcome = 'unknown')::int AS unknown,
    percentile_cont(ARRAY[0.5, 0.95, 0.99]) WITHIN GROUP (ORDER BY ms) AS percentiles,
    NULL::text AS "errorType", NULL::timestamptz AS "lastAt"
  FROM a GROUP BY GROUPING SETS ((at), ())
  UNION ALL
  SELECT NULL, count(*)::int, 0, 0, 0, NULL, coalesce("errorClass", 'unknown'), max("startedAt")
  FROM a WHERE outcome IN ('failed', 'unknown') GROUP BY coalesce("errorClass", 'unknown')`;

type StatisticsRow = {
  at: Date | null;
  attempts: number;
  succeeded: number;
  failed: number;
  unknown: number;
  percentiles: (number | null)[] | null;
  errorType: string | null;
  lastAt: Date | null;
};

const rounded = (value: number | null | undefined) => (value == null ? null : Math.round(value * 10) / 10);

/** Attempts of a subscription that started in a span: in total, by bucket, and failures by error. Tests are excluded. */
export async function attemptStatistics(
  asker: Asker,
  subscriptionId: string,
  from: Date,
  to: Date,
  bucketSeconds: number,
) {
  const values = [subscriptionId, from, to, bucketSeconds];
  const rows = await report<StatisticsRow>(asker, { text: STATISTICS, values });
  const countsOf = (row: StatisticsRow | undefined) => ({
    attempts: row?.attempts ?? 0,
    succeeded: row?.succeeded ?? 0,
    failed: row?.failed ?? 0,
    unknown: row?.unknown ?? 0,
    p50Ms: rounded(row?.percentiles?.[0]),
    p95Ms: rounded(row?.percentiles?.[1]),
    p99Ms: rounded(row?.percentiles?.[2]),
  });
  const byBucket = new Map(rows.filter((row) => row.at).map((row) => [row.at?.getTime(), row]));
  const starts: number[] = [];
  for (let at = from.getTime(); at < to.getTime(); at += bucketSeconds * 1000) starts.push(at);
  return {
    overall: countsOf(rows.find((row) => row.at === null && row.errorType === null)),
    timeline: starts.map((at) => ({ at: new Date(at).toISOString(), ...countsOf(byBucket.get(at)) })),
    failures: rows
      .filter((row) => row.errorType !== null)
      .map((row) => ({
        errorType: row.errorType ?? 'unknown',
        count: row.attempts,
        lastAt: (row.lastAt ?? from).toISOString(),
      }))
      .sort((a, b) => b.count - a.count),
  };
}

const QUEUE = `
  SELECT now() AS now, p.count AS pending, h.count AS held, f.count AS failed, o.at AS "oldestPendingAt", u.at AS "oldestHeldAt",
    extract(epoch FROM now() - o.at)::float8 AS "oldestAgeSeconds", n.at AS "nextAttemptAt"
  FROM (SELECT count(*)::int FROM webhook_delivery WHERE "subscriptionId" = $1 AND status = 'pending') p,
    (SELECT count(*)::int FROM webhook_delivery WHERE "subscriptionId" = $1 AND status = 'held') h,
    (SELECT count(*)::int FROM webhook_delivery WHERE "subscriptionId" = $1 AND status = 'failed') f,
    (SELECT min("createdAt") AS at FROM webhook_delivery WHERE "subscriptionId" = $1 AND status = 'pending') o,
    (SELECT min("createdAt") AS at FROM webhook_delivery WHERE "subscriptionId" = $1 AND status = 'held') u,
    (SELECT min("nextAttemptAt") AS at FROM webhook_delivery WHERE "subscriptionId" = $1 AND status = 'pending') n`;

/** What waits for one subscription, since when, and when the next attempt is due, by the database's clock. */
export async function readBacklog(asker: Asker, subscriptionId: string) {
  type Row = {
    now: Date;
    pending: number;
    held: number;
    failed: number;
    oldestPendingAt: Date | null;
    oldestHeldAt: Date | null;
    oldestAgeSeconds: number | null;
    nextAttemptAt: Date | null;
  };
  const [row] = await report<Row>(asker, { text: QUEUE, values: [subscriptionId] });
  if (!row) throw new Error('The queue could not be counted');
  return {
    ...row,
    now: row.now.toISOString(),
    oldestPendingAt: row.oldestPendingAt?.toISOString() ?? null,
    oldestHeldAt: row.oldestHeldAt?.toISOString() ?? null,
    nextAttemptAt: row.nextAttemptAt?.toISOString() ?? null,
  };
}
