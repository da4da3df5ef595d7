import { pool } from '@/server/db';
import { inngest } from '@/server/jobs/client';
import { pause } from '@/server/jobs/embedded/database';
import { domainEventsCommitted } from '@/server/jobs/events';
import type { logger as Logger } from '@/server/logger';
import { countSentAgain } from '@/server/metrics';

const maxBatchSize = 500;
const sweepMs = 5_000;

// The longer an event waits, the longer the next pause: what fails every time is not sent every time.
const TAKE = `
  UPDATE domain_event SET "emailsAt" = now() + greatest(now() - "occurredAt", interval '30 seconds')
  WHERE id IN (
    SELECT id FROM domain_event WHERE "emailsAt" <= now() ORDER BY "emailsAt" LIMIT $1 FOR UPDATE SKIP LOCKED)
  RETURNING id`;

/**
 * Hands over the events whose emails were not written in time: their process died, or an Inngest server lost them.
 * @returns how many
 */
export async function relayOnce(): Promise<number> {
  const { rows } = await pool.query<{ id: string }>({ name: 'relay_take', text: TAKE, values: [maxBatchSize] });
  if (rows.length > 0) await inngest.send(domainEventsCommitted.create({ eventIds: rows.map(({ id }) => id) }));
  return rows.length;
}

/** Notes that the emails of these events are in the outbox. */
export async function emailsWritten(eventIds: string[]): Promise<void> {
  if (eventIds.length === 0) return;
  await pool.query({
    name: 'relay_written',
    text: 'UPDATE domain_event SET "emailsAt" = NULL WHERE id = ANY ($1) AND "emailsAt" IS NOT NULL',
    values: [eventIds],
  });
}

export type Relay = {
  /** Stops; resolves when what is under way is done. */
  stop(): Promise<void>;
};

/** Hands over again what was handed over and not handled, as long as the process lives. */
export function startRelay({ logger }: { logger: typeof Logger }): Relay {
  const stopped = new AbortController();
  async function run(): Promise<void> {
    while (!stopped.signal.aborted) {
      try {
        const count = await relayOnce();
        if (count > 0) {
          countSentAgain('event-emails', count);
          logger.warn({ job: 'event-emails', count }, 'sent again what was not handled in time');
        }
      } catch (error) {
        logger.warn({ err: error }, 'could not send again what was not handled in time; will try again');
      }
      await pause(sweepMs, stopped.signal);
    }
  }
  const running = run();
  return {
    async stop() {
      stopped.abort();
      await running;
    },
  };
}
