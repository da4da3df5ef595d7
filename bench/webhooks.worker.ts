import { startEmbeddedExecutor } from '@/embedded/inngest/executor';
import { env, flattenProcessEnv } from '@/env';
import { webhookFunctions } from '@/inngest/functions/webhooks';
import { startDelivery } from '@/server/delivery/deliver';
import { startRelay } from '@/server/events/relay';
import { embeddedTransport, inngest } from '@/server/jobs/client';
import { logger } from '@/server/logger';

/** A process that delivers as the server does: relay and embedded executor. Reports to its parent when it is ready and exits with it. */
if (!embeddedTransport) throw new Error('Unset INNGEST_*: this measures the embedded executor');
flattenProcessEnv();
await startEmbeddedExecutor({
  connectionString: env.DATABASE_URL ?? '',
  client: inngest,
  transport: embeddedTransport,
  functions: webhookFunctions,
  logger,
});
startRelay({ logger });
startDelivery({ logger });
process.on('disconnect', () => process.exit(0));
process.send?.('ready');
