import { startEmbeddedExecutor } from '@/embedded/inngest/executor';
import { env } from '@/env';
import { functions } from '@/inngest/index';
import { relayedJobs } from '@/inngest/relayed-jobs';
import { startDelivery } from '@/server/delivery/deliver';
import { drainActive } from '@/server/delivery/sending/drain';
import { startRelay } from '@/server/events/relay';
import { startServer } from '@/server/http/server';
import { embeddedTransport, inngest } from '@/server/jobs/client';
import { logger } from '@/server/logger';

/** The whole process but its pages: API, functions, deliveries. Tells its parent where it listens. */
if (!embeddedTransport) throw new Error('Unset INNGEST_*: this measures the embedded executor');
await startEmbeddedExecutor({
  connectionString: env.DATABASE_URL ?? '',
  client: inngest,
  transport: embeddedTransport,
  functions,
  logger,
});
startRelay({ jobs: relayedJobs, logger });
startDelivery({ logger });
const { url } = await startServer({ port: 0, host: '127.0.0.1', withNext: false });
while (!drainActive()) await new Promise((resolve) => setTimeout(resolve, 5));
process.on('disconnect', () => process.exit(0));
process.send?.(url);
