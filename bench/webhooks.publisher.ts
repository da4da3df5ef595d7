import { setTimeout as pause } from 'node:timers/promises';
import { db } from '@/server/db';
import { eventCatalog } from '@/server/events/catalog/catalog';
import { emit, systemActor } from '@/server/events/emit';

/** What to publish: so many events, a transaction each, so many at a time, or so many a second. */
export type Publication = { projectId: string; events: number; parallel: number; rate: number | null };

const origin = { actor: systemActor, requestId: null };
const { example } = eventCatalog['participant.registered'];

/**
 * A process that publishes what its parent asks for, and says when all of it is committed. Each event is a statement that
 * commits by itself: a transaction that is longer would measure the publisher.
 */
process.on('disconnect', () => process.exit(0));
process.on('message', async ({ projectId, events, parallel, rate }: Publication) => {
  const started = performance.now();
  let taken = 0;
  async function publish(): Promise<void> {
    while (taken < events) {
      const index = taken;
      taken += 1;
      if (rate !== null) await pause(Math.max(0, started + (index / rate) * 1000 - performance.now()));
      const payload = { ...example, name: `Player ${index + 1}` };
      await emit(db, origin, {
        projectId,
        type: 'participant.registered',
        aggregateId: payload.participantId,
        payload,
      });
    }
  }
  await Promise.all(Array.from({ length: parallel }, publish));
  process.send?.(performance.now() - started);
});
process.send?.('ready');
