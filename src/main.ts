import { type JobsProcess, startJobsProcess } from '@/embedded/jobs-process';
import { env } from '@/env';
import { inngestHandler } from '@/inngest/index';
import { startHandOver } from '@/inngest/registration';
import { closeDatabase } from '@/server/db';
import { stopLive } from '@/server/events/live';
import type { ReadinessCheck } from '@/server/http/probes';
import { startServer } from '@/server/http/server';
import { embeddedTransport, inngestServer } from '@/server/jobs/client';
import { logger } from '@/server/logger';

/** What must be set before anything starts; the start script sets all of it for the embedded parts. */
function requireSettings(): void {
  const unset = (['DATABASE_URL', 'AUTH_SECRET', 'SECRETS_KEY'] as const).filter((name) => env[name] === undefined);
  if (unset.length > 0) throw new Error(`Not set: ${unset.join(', ')}. See .env.example, or run npm start.`);
}

/** Who runs the functions. Without it, pages and API work and the database keeps what is to be done. */
function functionsCheck(jobs: JobsProcess | null): Record<string, ReadinessCheck> {
  if (!jobs) {
    return {
      inngest: async () => {
        if (!inngestServer?.reachable()) throw new Error('The Inngest server does not respond');
      },
    };
  }
  return {
    executor: async () => {
      if (!jobs.latest().ready) throw new Error('The executor cannot reach the database');
    },
  };
}

async function main(): Promise<void> {
  requireSettings();
  const jobs = embeddedTransport ? await startJobsProcess(new URL('./jobs.js', import.meta.url), logger) : null;
  const server = await startServer({
    port: env.PORT,
    host: env.HOST,
    withNext: true,
    dev: env.NODE_ENV === 'development',
    inngest: embeddedTransport ? undefined : inngestHandler,
    worker: { file: new URL('./worker.js', import.meta.url) },
    dispensable: functionsCheck(jobs),
    metricsBeside: jobs ? async () => jobs.latest().metrics : undefined,
  });
  logger.info({ url: server.url }, 'listening');
  const handOver = jobs ? null : startHandOver(server.url);

  let stopping = false;
  async function stop(signal: string): Promise<void> {
    if (stopping) return;
    stopping = true;
    logger.info({ signal }, 'stopping');
    await Promise.all([server.stop(), handOver?.stop(), jobs?.stop()]);
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
