import type { ServerResponse } from 'node:http';
import { withDeadline } from '@/domain/time/deadline';
import { pool } from '@/server/db';
import { type Metrics, metricsText, registry } from '@/server/metrics';
import { singleFlight } from '@/server/single-flight';
import { checkStore } from '@/server/storage/object-store';

/** Resolves when a part can be used, rejects when it cannot. */
export type ReadinessCheck = () => Promise<void>;

const checkTimeoutMs = 2_000;

async function within(check: ReadinessCheck): Promise<boolean> {
  try {
    await withDeadline(check(), checkTimeoutMs, 'timed out');
    return true;
  } catch {
    return false;
  }
}

const ownChecks: Record<string, ReadinessCheck> = {
  database: async () => {
    await pool.query('SELECT 1');
  },
  store: checkStore,
};
const runOwnChecks = singleFlight(() => runAll(ownChecks, 'unreachable'));

function send(res: ServerResponse, status: number, type: string, body: string): void {
  res.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' });
  res.end(body);
}

export function sendHealth(res: ServerResponse): void {
  send(res, 200, 'application/json', JSON.stringify({ status: 'ok' }));
}

async function runAll(checks: Record<string, ReadinessCheck>, failed: string): Promise<Record<string, string>> {
  const entries = Object.entries(checks);
  const results = await Promise.all(
    entries.map(async ([name, check]) => [name, (await within(check)) ? 'ok' : failed] as const),
  );
  return Object.fromEntries(results);
}

/**
 * 200 when database and store can be reached, 503 with what cannot while starting, stopping or broken.
 * @param dispensable parts whose absence delays background work only: still 200, and named as degraded
 */
export async function sendReadiness(
  res: ServerResponse,
  dispensable: Record<string, ReadinessCheck>,
  draining: boolean,
): Promise<void> {
  const [needed, others] = await Promise.all([runOwnChecks(), runAll(dispensable, 'degraded')]);
  const ready = !draining && Object.values(needed).every((result) => result === 'ok');
  const whole = Object.values(others).every((result) => result === 'ok');
  const status = draining ? 'stopping' : ready ? (whole ? 'ready' : 'degraded') : 'not ready';
  send(res, ready ? 200 : 503, 'application/json', JSON.stringify({ status, checks: { ...needed, ...others } }));
}

/** Of all routes they take the thread for 25 milliseconds: one that kept asking had the deliveries of others late. */
const metricsKeptMs = 1_000;

/** Answers with the metrics of this process, and with those that `readBeside` gets of another. */
export function metricsRoute(readBeside: () => Promise<Metrics>): (res: ServerResponse) => Promise<void> {
  const read = singleFlight(async () => metricsText(await readBeside().catch(() => [])), metricsKeptMs);
  return async (res) => send(res, 200, registry.contentType, await read());
}
