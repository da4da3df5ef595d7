import {
  type EmbeddedExecutor,
  type EmbeddedExecutorOptions,
  startEmbeddedExecutor,
} from '@/embedded/inngest/executor';
import { env } from '@/env';
import { functions } from '@/inngest/index';
import { relayedJobs } from '@/inngest/relayed-jobs';
import { pool } from '@/server/db';
import { startDelivery } from '@/server/delivery/deliver';
import { drainIdle } from '@/server/delivery/sending/drain';
import { startRelay } from '@/server/events/relay';
import { embeddedTransport, inngest } from '@/server/jobs/client';
import { logger } from '@/server/logger';

/** A logger for tests whose functions fail on purpose. */
export const quiet = { debug() {}, info() {}, warn() {}, error() {} };

export type Background = Pick<EmbeddedExecutor, 'idle' | 'stop'>;

const WAITING = `SELECT EXISTS (SELECT FROM pending_event) OR EXISTS (SELECT FROM event_claim) AS waiting`;

/** What a process runs beside its server, on this file's database; with every function by default. */
export async function startBackground({
  patienceMs,
  ...options
}: Partial<EmbeddedExecutorOptions> & { patienceMs?: number } = {}): Promise<Background> {
  const connectionString = env.DATABASE_URL ?? '';
  if (!embeddedTransport) throw new Error('Unset INNGEST_*: tests run the embedded executor');
  const parts = {
    connectionString,
    client: inngest,
    transport: embeddedTransport,
    functions,
    logger,
    lasting: ['laurel-webhook-drain'],
  };
  const executor = await startEmbeddedExecutor({ ...parts, ...options });
  const relay = startRelay({ jobs: relayedJobs, logger, patienceMs, everyMs: patienceMs });
  const delivery = startDelivery({ logger });
  const sends = (options.functions ?? functions).some((fn) => fn.id() === 'webhook-drain');
  return {
    async idle() {
      for (;;) {
        await executor.idle();
        const { rows } = await pool.query<{ waiting: boolean }>(WAITING);
        if (!sends || (!rows[0]?.waiting && drainIdle())) break;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      await executor.idle();
    },
    async stop() {
      await Promise.all([relay.stop(), delivery.stop()]);
      await executor.stop();
    },
  };
}
