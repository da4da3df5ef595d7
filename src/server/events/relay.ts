import { pool } from '@/server/db';
import { onDomainEvent } from '@/server/events/live';
import { inngest } from '@/server/jobs/client';
import { domainEventsCommitted } from '@/server/jobs/events';
import type { logger as Logger } from '@/server/logger';

const eventsAtOnce = 500;
/** Looks even when nobody called: notices can be lost with their connection. */
const sweepMs = 5_000;
/** Pause after a hand-over, in which the events of a burst gather. */
const gatherMs = 15;
const troubleMs = 1_000;

const TAKE = `
  SELECT id FROM domain_event WHERE "dispatchedAt" IS NULL ORDER BY sequence LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED`;

/**
 * Hands one batch of committed events to the functions, in order. The rows stay locked until the hand-over is noted, so
 * several processes share the work; one that dies in between leaves the events to be handed over once more.
 * @returns how many events were handed over
 */
export async function relayOnce(): Promise<number> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('BEGIN');
    const taken = await client.query<{ id: string }>({ name: 'relay_take', text: TAKE, values: [eventsAtOnce] });
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

/** Marks events as not handed on, so that the relay takes them again. For functions that failed for good. */
export async function undispatch(eventIds: string[]): Promise<void> {
  await pool.query('UPDATE domain_event SET "dispatchedAt" = NULL WHERE id = ANY ($1)', [eventIds]);
}

export type Relay = {
  /** Looks for events now. */
  nudge(): void;
  /** Takes no more events; resolves when the hand-over under way has ended. */
  stop(): Promise<void>;
};

/** Hands committed domain events to the functions: at once when a commit is heard of, and by sweep. */
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
        if (count >= eventsAtOnce) continue;
        if (count > 0) await pause(gatherMs, false);
        if (!wanted && !stopped) await pause(sweepMs, true);
      } catch (error) {
        logger.warn({ err: error }, 'domain events cannot be handed on at the moment; they wait');
        await pause(troubleMs, false);
      }
    }
  }

  function nudge(): void {
    wanted = true;
    wake();
  }

  const stopListening = onDomainEvent(nudge);
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
