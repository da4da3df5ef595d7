import type { ServerResponse } from 'node:http';
import { pool } from '@/server/db';
import { registry } from '@/server/metrics';
import { checkStore } from '@/server/storage/object-store';

/** Resolves when a part can be used, rejects when it cannot. */
export type ReadinessCheck = () => Promise<void>;

const checkTimeoutMs = 2_000;

async function within(check: ReadinessCheck): Promise<'ok' | 'unreachable'> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('timed out')), checkTimeoutMs);
  });
  try {
    await Promise.race([check(), late]);
    return 'ok';
  } catch {
    return 'unreachable';
  } finally {
    clearTimeout(timer);
  }
}

const ownChecks: Record<string, ReadinessCheck> = {
  database: async () => {
    await pool.query('SELECT 1');
  },
  store: checkStore,
};

function send(res: ServerResponse, status: number, type: string, body: string): void {
  res.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' });
  res.end(body);
}

export function sendHealth(res: ServerResponse): void {
  send(res, 200, 'application/json', JSON.stringify({ status: 'ok' }));
}

/** 200 when every part can be reached, 503 with the parts that cannot while starting, stopping or broken. */
export async function sendReadiness(
  res: ServerResponse,
  checks: Record<string, ReadinessCheck>,
  draining: boolean,
): Promise<void> {
  const all = Object.entries({ ...ownChecks, ...checks });
  const results = await Promise.all(all.map(async ([name, check]) => [name, await within(check)] as const));
  const ready = !draining && results.every(([, result]) => result === 'ok');
  const status = ready ? 'ready' : draining ? 'stopping' : 'not ready';
  send(res, ready ? 200 : 503, 'application/json', JSON.stringify({ status, checks: Object.fromEntries(results) }));
}

export async function sendMetrics(res: ServerResponse): Promise<void> {
  send(res, 200, registry.contentType, await registry.metrics());
}
