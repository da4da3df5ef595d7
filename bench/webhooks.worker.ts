import { startEmbeddedExecutor } from '@/embedded/inngest/executor';
import { env, flattenProcessEnv } from '@/env';
import { webhookFunctions } from '@/inngest/functions/webhooks';
import { relayedJobs } from '@/inngest/relayed-jobs';
import { db } from '@/server/db';
import { startDelivery } from '@/server/delivery/deliver';
import { drainActive } from '@/server/delivery/sending/drain';
import { startRelay } from '@/server/events/relay';
import { embeddedTransport, inngest } from '@/server/jobs/client';
import { logger } from '@/server/logger';
import { countStatements } from './count-statements';

/**
 * A process that delivers as the server does. Tells its parent when it is ready, answers every message with the number of
 * statements that it has sent so far, and exits with it.
 */
const statements = countStatements();

if (!embeddedTransport) throw new Error('Unset INNGEST_*: this measures the embedded executor');
flattenProcessEnv();
// As the process of the product does.
await db.$connect();
await startEmbeddedExecutor({
  connectionString: env.DATABASE_URL ?? '',
  client: inngest,
  transport: embeddedTransport,
  functions: [...webhookFunctions],
  logger,
});
startRelay({ jobs: relayedJobs, logger });
startDelivery({ logger });
while (!drainActive()) await new Promise((resolve) => setTimeout(resolve, 5));
process.on('disconnect', () => process.exit(0));
process.on('message', () => process.send?.(statements()));
process.send?.('ready');
