import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { pool } from '@/server/db';
import { inngestServer } from '@/server/jobs/client';

/** A backlog that is longer is not counted to its end, every time that the metrics are read. */
const maxCounted = 10_000;
const waitingSql = (status: 'pending' | 'held') => `(SELECT count(*)::int FROM (
  SELECT FROM webhook_delivery WHERE status = '${status}' ORDER BY "subscriptionId", "nextAttemptAt", id LIMIT ${maxCounted}) d)`;
const BACKLOG = `SELECT ${waitingSql('pending')} AS pending, ${waitingSql('held')} AS held`;
const EVENTS = `SELECT count(*)::int AS waiting FROM (SELECT FROM pending_event LIMIT ${maxCounted}) e`;
const OVERDUE = `
  SELECT extract(epoch FROM now() - min(due.at))::float8 AS seconds FROM webhook_subscription s, LATERAL (
    SELECT min(d."nextAttemptAt") AS at FROM webhook_delivery d WHERE d."subscriptionId" = s.id AND d.status = 'pending') due
  WHERE s.status = 'active' AND NOT (s."enableCircuitBreaker" AND s."breakerState" <> 'closed')
    AND (s."holdUntil" IS NULL OR s."holdUntil" <= now())`;
const OVERDUE_EMAIL =
  'SELECT extract(epoch FROM now() - min("dueAt"))::float8 AS seconds FROM outgoing_mail WHERE "dueAt" IS NOT NULL';

function build() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'laurel_database_connections',
    help: 'Connections of this process to PostgreSQL, by state.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      this.set({ state: 'idle' }, pool.idleCount);
      this.set({ state: 'busy' }, pool.totalCount - pool.idleCount);
      this.set({ state: 'waiting' }, pool.waitingCount);
    },
  });
  new Gauge({
    name: 'laurel_domain_events_waiting',
    help: `Committed domain events that were not dispatched yet; counted up to ${maxCounted}.`,
    registers: [registry],
    async collect() {
      const counted = await pool.query<{ waiting: number }>(EVENTS).catch(() => null);
      this.set(counted?.rows[0]?.waiting ?? Number.NaN);
    },
  });
  new Gauge({
    name: 'laurel_webhook_deliveries_waiting',
    help: `Waiting webhook deliveries, by status; counted up to ${maxCounted}.`,
    labelNames: ['status'],
    registers: [registry],
    async collect() {
      const counted = await pool.query<{ pending: number; held: number }>(BACKLOG).catch(() => null);
      this.set({ status: 'pending' }, counted?.rows[0]?.pending ?? Number.NaN);
      this.set({ status: 'held' }, counted?.rows[0]?.held ?? Number.NaN);
    },
  });
  new Gauge({
    name: 'laurel_webhook_overdue_seconds',
    help: 'How long the longest overdue webhook delivery has been due, without paused and held subscriptions.',
    registers: [registry],
    async collect() {
      const found = await pool.query<{ seconds: number | null }>(OVERDUE).catch(() => null);
      this.set(found ? Math.max(found.rows[0]?.seconds ?? 0, 0) : Number.NaN);
    },
  });
  new Gauge({
    name: 'laurel_email_overdue_seconds',
    help: 'How long the longest overdue email has been due. Those that failed are due after a pause.',
    registers: [registry],
    async collect() {
      const found = await pool.query<{ seconds: number | null }>(OVERDUE_EMAIL).catch(() => null);
      this.set(found ? Math.max(found.rows[0]?.seconds ?? 0, 0) : Number.NaN);
    },
  });
  if (inngestServer) {
    new Gauge({
      name: 'laurel_inngest_reachable',
      help: 'Whether the last request of this process to the Inngest server succeeded: 1 or 0.',
      registers: [registry],
      collect() {
        this.set(inngestServer?.reachable() ? 1 : 0);
      },
    });
  }
  return {
    registry,
    webhookAttempts: new Counter({
      name: 'laurel_webhook_attempts_total',
      help: 'Webhook requests by outcome and class of error.',
      labelNames: ['outcome', 'error_class'],
      registers: [registry],
    }),
    webhookDurations: new Histogram({
      name: 'laurel_webhook_attempt_duration_seconds',
      help: 'Time from name resolution to the last byte of the response, by outcome.',
      labelNames: ['outcome'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120],
      registers: [registry],
    }),
    emails: new Counter({
      name: 'laurel_emails_total',
      help: 'Attempts to send an email: sent, failed, or given up after the last one.',
      labelNames: ['outcome'],
      registers: [registry],
    }),
    sentAgain: new Counter({
      name: 'laurel_jobs_sent_again_total',
      help: 'Jobs that were handed over and not handled in time, and were handed over again, by kind.',
      labelNames: ['job'],
      registers: [registry],
    }),
    requests: new Histogram({
      name: 'laurel_http_request_duration_seconds',
      help: 'Response time, by method, route and status.',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
      registers: [registry],
    }),
    rateLimited: new Counter({
      name: 'laurel_rate_limit_refusals_total',
      help: 'Requests rejected by a rate limit, by limit.',
      labelNames: ['limit'],
      registers: [registry],
    }),
    quotas: new Counter({
      name: 'laurel_quota_exceeded_total',
      help: 'How often a quota was used up when something asked for more, by quota.',
      labelNames: ['quota'],
      registers: [registry],
    }),
    verdicts: new Counter({
      name: 'laurel_anticheat_verdict_requests_total',
      help: 'Requests to the verdict provider of anti-cheat, by what became of them.',
      labelNames: ['outcome'],
      registers: [registry],
    }),
    runs: new Histogram({
      name: 'laurel_function_run_duration_seconds',
      help: 'Time from the start of a run to its end in the embedded executor, by outcome; sleeps count.',
      labelNames: ['outcome'],
      buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 30, 300, 3600, 86400],
      registers: [registry],
    }),
  };
}

const holder = globalThis as typeof globalThis & { laurelMetrics?: ReturnType<typeof build> };
// Next bundles its own copy of this module; both copies share one registry.
holder.laurelMetrics ??= build();
const metrics = holder.laurelMetrics;

/** Every metric of this process; parts of the server register theirs here. */
export const registry = metrics.registry;

/** What the database says, which is the same in every process. */
const ofDatabase = [
  'laurel_domain_events_waiting',
  'laurel_webhook_deliveries_waiting',
  'laurel_webhook_overdue_seconds',
  'laurel_email_overdue_seconds',
];

/** Metrics as one process gives them to another. */
export type Metrics = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** Names this process in its metrics, which another is asked for beside its own. */
export function labelMetrics(name: string): void {
  registry.setDefaultLabels({ process: name });
  for (const about of ofDatabase) registry.removeSingleMetric(about);
}

/** The metrics of this process. */
export const readMetrics = (): Promise<Metrics> => registry.getMetricsAsJSON();

/** The metrics of this process, and of one beside it that has labelled its own, as Prometheus reads them. */
export async function metricsText(beside: Metrics): Promise<string> {
  if (beside.length === 0) return registry.metrics();
  // With the label of the other process nothing is summed up.
  const all = [await readMetrics(), beside].map((each) => each.map((metric) => ({ ...metric, aggregator: 'sum' })));
  return AggregatorRegistry.aggregate(all).metrics();
}

export function observeRequest(request: { method: string; route: string; status: number; seconds: number }): void {
  const { method, route, status, seconds } = request;
  metrics.requests.observe({ method, route, status: String(status) }, seconds);
}

export function countRateLimited(limit: string): void {
  metrics.rateLimited.inc({ limit });
}

export function countQuotaExceeded(quota: string): void {
  metrics.quotas.inc({ quota });
}

/** Called when a request to the verdict provider ends. */
export function countVerdictRequest(outcome: string): void {
  metrics.verdicts.inc({ outcome });
}

/** Called by the embedded executor when a run ends. */
export function observeRun(outcome: string, ms: number): void {
  metrics.runs.observe({ outcome }, ms / 1000);
}

/** Called when an attempt to send an email ends. */
export function countEmail(outcome: 'sent' | 'failed' | 'given_up'): void {
  metrics.emails.inc({ outcome });
}

/** Called when jobs that were not handled in time are handed over again. */
export function countSentAgain(job: string, count: number): void {
  metrics.sentAgain.inc({ job }, count);
}

/** Called when a webhook request ends. @param errorClass null when it succeeded */
export function observeWebhookAttempt(errorClass: string | null, ms: number): void {
  const outcome = errorClass === null ? 'succeeded' : 'failed';
  metrics.webhookAttempts.inc({ outcome, error_class: errorClass ?? 'none' });
  metrics.webhookDurations.observe({ outcome }, ms / 1000);
}

/** By how much a counter was raised. */
export type Count = { name: string; labels: Partial<Record<string, string | number>>; value: number };

/** The value of each counter that was reported before. */
const reported = new Map<string, number>();

/**
 * What the counters of this thread were raised by since the last call: the metrics of a process are those of its main
 * thread.
 */
export async function takeCounts(): Promise<Count[]> {
  const counts: Count[] = [];
  for (const { name } of registry.getMetricsAsArray()) {
    const counter = registry.getSingleMetric(name);
    // The default ones are about the process.
    if (!(counter instanceof Counter) || !name.startsWith('laurel_')) continue;
    for (const { labels, value } of (await counter.get()).values) {
      const key = `${name} ${JSON.stringify(labels)}`;
      const raised = value - (reported.get(key) ?? 0);
      reported.set(key, value);
      if (raised > 0) counts.push({ name, labels, value: raised });
    }
  }
  return counts;
}

/** Adds what another thread has counted. */
export function addCounts(counts: readonly Count[]): void {
  for (const { name, labels, value } of counts) {
    const counter = registry.getSingleMetric(name);
    if (counter instanceof Counter) counter.inc(labels, value);
  }
}
