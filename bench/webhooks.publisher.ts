import { setTimeout as pause } from 'node:timers/promises';
import { db } from '@/server/db';
import { eventCatalog } from '@/server/events/catalog/catalog';
import { emit, systemActor } from '@/server/events/emit';

/** What to publish: so many events, `batch` of them (by default 1) a transaction, so many at a time, or so many a second. */
export type Publication = { projectId: string; events: number; parallel: number; batch?: number; rate: number | null };

const origin = { actor: systemActor, requestId: null };
// Nobody gets an email about it: what emails cost, `registrations` measures.
const type = 'participant.checked_in';
const { example } = eventCatalog[type];

/**
 * A process that publishes what its parent asks for, and says when all of it is committed. Each transaction is a statement that
 * commits by itself: one that is longer would measure the publisher.
 */
process.on('disconnect', () => process.exit(0));
process.on('message', async ({ projectId, events, parallel, batch = 1, rate }: Publication) => {
  const started = performance.now();
  let taken = 0;
  async function publish(): Promise<void> {
    while (taken < events) {
      const first = taken;
      const count = Math.min(batch, events - first);
      taken += count;
      if (rate !== null) await pause(Math.max(0, started + (first / rate) * 1000 - performance.now()));
      const added = Array.from({ length: count }, (_, index) => {
        const payload = { ...example, name: `Player ${first + index + 1}` };
        return { projectId, type, aggregateId: payload.participantId, payload } as const;
      });
      await emit(db, origin, ...added);
    }
  }
  await Promise.all(Array.from({ length: parallel }, publish));
  process.send?.(performance.now() - started);
});
process.send?.('ready');
