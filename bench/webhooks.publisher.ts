import { setTimeout as pause } from 'node:timers/promises';
import { emitEvents } from '@/test/factories';

/** What to publish: so many events, a transaction each, so many at a time, or so many a second. */
export type Publication = { projectId: string; events: number; parallel: number; rate: number | null };

/** A process that publishes what its parent asks for, and says when all of it is committed. */
process.on('disconnect', () => process.exit(0));
process.on('message', async ({ projectId, events, parallel, rate }: Publication) => {
  const started = performance.now();
  let taken = 0;
  async function publish(): Promise<void> {
    while (taken < events) {
      const index = taken;
      taken += 1;
      if (rate !== null) await pause(Math.max(0, started + (index / rate) * 1000 - performance.now()));
      await emitEvents(projectId, 1);
    }
  }
  await Promise.all(Array.from({ length: parallel }, publish));
  process.send?.(performance.now() - started);
});
process.send?.('ready');
