import { once } from 'node:events';
import { env } from '@/env';
import { inngest } from '@/inngest/client';
import { drain } from '@/inngest/functions/webhook-drain';
import { webhookFunctions } from '@/inngest/functions/webhooks';
import { startLocalExecutor } from '@/inngest/local/executor';
import { closeDatabase } from '@/server/db';
import { logger } from '@/server/logger';
import { relayOnce, startRelay } from '@/server/relay';
import { emitEvents } from '@/test/factories';

/**
 * A process for the tests to kill. `work`: relay and executor. `drain <subscription>`: waits for a line, attempts what is
 * due, ends. `emit <project> <count>`: commits events and dies on the spot. `hand-over <project> <count>`: the same, once the
 * relay has handed them on.
 */
const [mode = '', id = '', count = '0'] = process.argv.slice(2);

if (mode === 'work') {
  await startLocalExecutor({
    connectionString: env.DATABASE_URL ?? '',
    client: inngest,
    functions: webhookFunctions,
    logger,
    leaseMs: 2000,
  });
  startRelay({ logger });
  process.stdout.write('ready\n');
} else if (mode === 'drain') {
  process.stdout.write('ready\n');
  await once(process.stdin, 'data');
  // A busy machine may need several rounds for what is due.
  while ((await drain(id))?.inMs === 0);
  await closeDatabase();
  process.exit(0);
} else {
  await emitEvents(id, Number(count));
  if (mode === 'hand-over') await relayOnce();
  process.kill(process.pid, 'SIGKILL');
}
