import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { pool } from '@/server/db';

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
    help: 'Committed domain events that were not yet handed to the functions.',
    registers: [registry],
    async collect() {
      const counted = await pool
        .query<{ waiting: number }>('SELECT count(*)::int AS waiting FROM domain_event WHERE "dispatchedAt" IS NULL')
        .catch(() => null);
      this.set(counted?.rows[0]?.waiting ?? Number.NaN);
    },
  });
  return {
    registry,
    requests: new Histogram({
      name: 'laurel_http_request_duration_seconds',
      help: 'Time to answer, by method, route and status.',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
      registers: [registry],
    }),
    rateLimited: new Counter({
      name: 'laurel_rate_limit_refusals_total',
      help: 'Requests refused for haste, by limit.',
      labelNames: ['limit'],
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
// Next bundles this module apart from the server's own copy; both count in one registry.
holder.laurelMetrics ??= build();
const metrics = holder.laurelMetrics;

/** Every metric of this process; parts of the server register theirs here. */
export const registry = metrics.registry;

export function observeRequest(request: { method: string; route: string; status: number; seconds: number }): void {
  const { method, route, status, seconds } = request;
  metrics.requests.observe({ method, route, status: String(status) }, seconds);
}

export function countRateLimited(limit: string): void {
  metrics.rateLimited.inc({ limit });
}

/** Told by the embedded executor of each run that ends. */
export function observeRun(outcome: string, ms: number): void {
  metrics.runs.observe({ outcome }, ms / 1000);
}
