import { env, flattenProcessEnv } from '@/env';
import { inngest } from '@/inngest/client';
import { webhookFunctions } from '@/inngest/functions/webhooks';
import { startLocalExecutor } from '@/inngest/local/executor';
import { logger } from '@/server/logger';
import { startRelay } from '@/server/relay';

/** A process that delivers as the server does: relay and embedded executor. Tells its parent when it is ready; dies with it. */
flattenProcessEnv();
await startLocalExecutor({
  connectionString: env.DATABASE_URL ?? '',
  client: inngest,
  functions: webhookFunctions,
  logger,
});
startRelay({ logger });
process.on('disconnect', () => process.exit(0));
process.send?.('ready');
