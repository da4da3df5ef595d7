import { pool } from '@/server/db';
import { onDomainEvent } from '@/server/events/live';
import { inngest } from '@/server/jobs/client';
import { domainEventsCommitted } from '@/server/jobs/events';
import type { logger as Logger } from '@/server/logger';

const maxBatchSize = 500;
/** Checks even without a notice: notices can be lost with their connection. */
const sweepMs = 5_000;
/** Pause after a batch, so that the events of a burst go out together. */
const batchPauseMs = 15;
const errorPauseMs = 1_000;

const TAKE = `
  SELECT id FROM domain_event WHERE "dispatchedAt" IS NULL ORDER BY sequence LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED`;

/**
 * Dispatches one batch of committed events to the functions, in order. The rows stay locked until they are marked as
 * dispatched, so that several processes can share the work. If a process dies in between, the events are sent again.
 * @returns how many events were dispatched
 */
export async function relayOnce(): Promise<number> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('BEGIN');
    const taken = await client.query<{ id: string }>({ name: 'relay_take', text: TAKE, values: [maxBatchSize] });
    const eventIds = taken.rows.map((row) => row.id);
    if (eventIds.length > 0) {
      await inngest.send(domainEventsCommitted.create({ eventIds }));
      await client.query({
        name: 'relay_done',
        text: 'UPDATE domain_event SET "dispatchedAt" = now() WHERE id = ANY ($1)',
        values: [eventIds],
      });
    }
    await client.query('COMMIT');
    return eventIds.length;
  } catch (error) {
    await client.query('ROLLBACK').catch((lost: Error) => {
      broken = lost;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

/** Marks events as not dispatched, so that the relay sends them again. For functions whose retries all failed. */
export async function undispatch(eventIds: string[]): Promise<void> {
  await pool.query('UPDATE domain_event SET "dispatchedAt" = NULL WHERE id = ANY ($1)', [eventIds]);
}

export type Relay = {
  /** Checks for events now. */
  nudge(): void;
  /** Stops dispatching; resolves when the current batch is done. */
  stop(): Promise<void>;
};

/** Dispatches committed domain events to the functions: as soon as a notice arrives, and by a sweep. */
export function startRelay({ logger }: { logger: typeof Logger }): Relay {
  let wanted = false;
  let stopped = false;
  let wake: () => void = () => undefined;

  function pause(ms: number, wakeable: boolean): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      if (!wakeable) return;
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async function run(): Promise<void> {
    while (!stopped) {
      wanted = false;
      try {
        const count = await relayOnce();
        if (count >= maxBatchSize) continue;
        if (count > 0) await pause(batchPauseMs, false);
        if (!wanted && !stopped) await pause(sweepMs, true);
      } catch (error) {
        logger.warn({ err: error }, 'could not dispatch domain events; will try again');
        await pause(errorPauseMs, false);
      }
    }
  }

  function nudge(): void {
    wanted = true;
    wake();
  }

  const stopListening = onDomainEvent(({ id, type }) => {
    if (id !== '' || type === 'live.resumed') nudge();
  });
  const running = run();
  return {
    nudge,
    async stop() {
      stopped = true;
      stopListening();
      wake();
      await running;
    },
  };
}
