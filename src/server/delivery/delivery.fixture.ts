import { once } from 'node:events';
import { webhookFunctions } from '@/inngest/functions/webhooks';
import { closeDatabase } from '@/server/db';
import { drainQueue } from '@/server/delivery/drain-queue';
import { takeEvents } from '@/server/delivery/fan-out';
import { openWorker } from '@/server/delivery/sending/worker';
import { startBackground } from '@/test/background';
import { emitEvents } from '@/test/factories';
import { withRoom } from '@/test/room';

/**
 * A process for tests to kill. `work` runs what a server runs in the background. `drain <subscription>` waits for a
 * line, attempts what is due and exits. `emit <project> <count>` commits events and kills itself. `claim <project>
 * <count>` makes and claims their deliveries before that.
 */
const [mode = '', id = '', count = '0'] = process.argv.slice(2);

if (mode === 'work') {
  await startBackground({ functions: webhookFunctions, leaseMs: 2000 });
  process.stdout.write('ready\n');
} else if (mode === 'drain') {
  process.stdout.write('ready\n');
  await once(process.stdin, 'data');
  // A busy machine may need several rounds for what is due.
  while ((await drainQueue(id))?.inMs === 0);
  await closeDatabase();
  process.exit(0);
} else {
  await emitEvents(id, Number(count));
  if (mode === 'claim') {
    await openWorker(() => undefined);
    await takeEvents(withRoom(Number(count)), []);
  }
  process.kill(process.pid, 'SIGKILL');
}
