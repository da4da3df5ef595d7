import { type EmbeddedExecutor, startEmbeddedExecutor } from '@/embedded/inngest/executor';
import { env } from '@/env';
import { functions, inngestHandler } from '@/inngest/index';
import { startHandOver } from '@/inngest/registration';
import { relayedJobs } from '@/inngest/relayed-jobs';
import { closeDatabase } from '@/server/db';
import { startDelivery } from '@/server/delivery/deliver';
import { stopLive } from '@/server/events/live';
import { startRelay } from '@/server/events/relay';
import type { ReadinessCheck } from '@/server/http/probes';
import { startServer } from '@/server/http/server';
import { embeddedTransport, inngest, inngestServer } from '@/server/jobs/client';
import { logger } from '@/server/logger';
import { observeRun } from '@/server/metrics';

/** What must be set before anything starts; the start script sets all of it for the embedded parts. */
function requireSettings(): { databaseUrl: string } {
  const unset = (['DATABASE_URL', 'AUTH_SECRET', 'SECRETS_KEY'] as const).filter((name) => env[name] === undefined);
  if (unset.length > 0 || !env.DATABASE_URL) {
    throw new Error(`Not set: ${unset.join(', ')}. See .env.example, or run npm start.`);
  }
  return { databaseUrl: env.DATABASE_URL };
}

/** Runs the functions in this process, where no Inngest server does. */
async function startExecutor(databaseUrl: string): Promise<EmbeddedExecutor | null> {
  if (!embeddedTransport) return null;
  return startEmbeddedExecutor({
    connectionString: databaseUrl,
    client: inngest,
    transport: embeddedTransport,
    functions,
    logger: logger.child({ part: 'executor' }),
    graceMs: 5_000,
    onRun: observeRun,
  });
}

/** Who runs the functions. Without it, pages and API work and the database keeps what is to be done. */
function functionsCheck(executor: EmbeddedExecutor | null): Record<string, ReadinessCheck> {
  if (!executor) {
    return {
      inngest: async () => {
        if (!inngestServer?.reachable()) throw new Error('The Inngest server does not respond');
      },
    };
  }
  return {
    executor: async () => {
      if (!executor.ready()) throw new Error('The executor cannot reach the database');
    },
  };
}

async function main(): Promise<void> {
  const { databaseUrl } = requireSettings();
  const executor = await startExecutor(databaseUrl);
  const relay = executor ? startRelay({ jobs: relayedJobs, logger: logger.child({ part: 'relay' }) }) : null;
  const delivery = executor ? startDelivery({ logger: logger.child({ part: 'delivery' }) }) : null;
  const server = await startServer({
    port: env.PORT,
    host: env.HOST,
    withNext: true,
    dev: env.NODE_ENV === 'development',
    inngest: embeddedTransport ? undefined : inngestHandler,
    worker: { file: new URL('./worker.js', import.meta.url) },
    dispensable: functionsCheck(executor),
  });
  logger.info({ url: server.url }, 'listening');
  const handOver = executor ? null : startHandOver(server.url);

  let stopping = false;
  async function stop(signal: string): Promise<void> {
    if (stopping) return;
    stopping = true;
    logger.info({ signal }, 'stopping');
    await Promise.all([server.stop(), relay?.stop(), delivery?.stop(), handOver?.stop(), executor?.stop()]);
    await stopLive();
    await closeDatabase();
    process.exit(0);
  }
  process.on('SIGTERM', (signal) => void stop(signal));
  process.on('SIGINT', (signal) => void stop(signal));
}

main().catch((error: unknown) => {
  logger.fatal({ err: error }, 'could not start');
  process.exit(1);
});
