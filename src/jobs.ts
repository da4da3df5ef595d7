import { startEmbeddedExecutor } from '@/embedded/inngest/executor';
import { reportToParent } from '@/embedded/jobs-process';
import { env } from '@/env';
import { functions } from '@/inngest/index';
import { relayedJobs } from '@/inngest/relayed-jobs';
import { closeDatabase, db } from '@/server/db';
import { startDelivery } from '@/server/delivery/deliver';
import { startLive, stopLive } from '@/server/events/live';
import { startRelay } from '@/server/events/relay';
import { embeddedTransport, inngest } from '@/server/jobs/client';
import { logger } from '@/server/logger';
import { labelMetrics, observeRun, readMetrics } from '@/server/metrics';
import { installWorker } from '@/server/worker/offload';
import { WorkerThreads } from '@/server/worker/thread';

/**
 * The process that runs the functions, and sends webhooks and emails, where no Inngest server does: src/main.ts starts it. A
 * page takes the thread for tens of milliseconds, and each step of a delivery would wait for those of many visitors.
 */
async function main(): Promise<void> {
  if (!embeddedTransport) throw new Error('An Inngest server runs the functions.');
  labelMetrics('jobs');
  // Otherwise the first query of Prisma loads its compiler, for which deliveries would wait for 0.2 s.
  await db.$connect();
  const worker = new WorkerThreads({ file: new URL('./worker.js', import.meta.url) });
  installWorker(worker);
  await startLive();
  const executor = await startEmbeddedExecutor({
    connectionString: env.DATABASE_URL ?? '',
    client: inngest,
    transport: embeddedTransport,
    functions,
    logger: logger.child({ part: 'executor' }),
    graceMs: 5_000,
    onRun: observeRun,
  });
  const relay = startRelay({ jobs: relayedJobs, logger: logger.child({ part: 'relay' }) });
  const delivery = startDelivery({ logger: logger.child({ part: 'delivery' }) });

  let stopping = false;
  async function stop(): Promise<void> {
    if (stopping) return;
    stopping = true;
    await Promise.all([relay.stop(), delivery.stop(), executor.stop()]);
    installWorker(undefined);
    await worker.stop();
    await stopLive();
    await closeDatabase();
    process.exit(0);
  }
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => void stop());
  await reportToParent(async () => ({ ready: executor.ready(), metrics: await readMetrics() }));
}

main().catch((error: unknown) => {
  logger.fatal({ err: error }, 'could not start the functions');
  process.exit(1);
});
