import { pool } from '@/server/db';
import { projectTurnSql } from '@/server/events/project-turn';
import { isTransient } from '@/server/jobs/embedded/database';
import { logger } from '@/server/logger';

export type EventToEmail = { id: string; type: string; payload: unknown; metadata: unknown };

/** Emails about events. */
export type EventEmails = {
  /** The types of events that emails are written about. */
  types: readonly string[];
  /** Those of them that thousands may get an email about. They are written one by one, in turns, and nothing else waits behind them. */
  toMany: readonly string[];
  /** Writes the emails about events, and calls `emailsWritten`. Called again for events for which it was not called. */
  write: (events: EventToEmail[]) => Promise<void>;
};

/** Events of this time are written about together. */
const gatherMs = 200;
/** What a process has not written about by then is written by any, and what failed is tried again so soon. */
const patienceSeconds = 20;
/** Older events get no email: the state that they report may have changed since. */
const maxAgeHours = 24;
const maxTaken = 500;
/** Of so many that are due longest, those are taken, by turns of who created their projects. */
const maxLookedAt = 10_000;

// What keeps failing waits for half its age each time. Nobody writes about what is old, or deleted.
const TAKE_UNWRITTEN = `
  WITH due AS MATERIALIZED (
    SELECT p."eventId" AS id FROM pending_email p WHERE p.at <= now() - $1 * interval '1 second' AND p."eventId" IN (
      SELECT id FROM (
        SELECT o."eventId" AS id, o.at, row_number() OVER (
          PARTITION BY ${projectTurnSql('e."projectId"')} ORDER BY o.at) AS place
        FROM (SELECT "eventId", at FROM pending_email WHERE at <= now() - $1 * interval '1 second' ORDER BY at LIMIT ${maxLookedAt}) o
        LEFT JOIN domain_event e ON e.id = o."eventId"
      ) placed ORDER BY place, at LIMIT ${maxTaken})
    FOR UPDATE SKIP LOCKED
  ), found AS MATERIALIZED (
    SELECT e.id, e.type, e.payload, e.metadata, e."occurredAt" FROM due JOIN domain_event e ON e.id = due.id
    WHERE e."occurredAt" > now() - interval '${maxAgeHours} hours'
  ), later AS (
    UPDATE pending_email p SET at = now() + (now() - f."occurredAt") / 2 FROM found f WHERE p."eventId" = f.id
  ), dropped AS (
    DELETE FROM pending_email p USING due WHERE p."eventId" = due.id AND NOT EXISTS (SELECT FROM found f WHERE f.id = due.id)
  )
  SELECT id, type, payload, metadata FROM found ORDER BY "occurredAt"`;

/** Notes that the emails about these events are in the outbox. */
export async function emailsWritten(eventIds: string[]): Promise<void> {
  if (eventIds.length === 0) return;
  await pool.query({
    name: 'emails_written',
    text: 'DELETE FROM pending_email WHERE "eventId" = ANY ($1)',
    values: [eventIds],
  });
}

/** Notes that this process goes on writing about events, so that no other begins. */
async function stillWriting(eventIds: string[]): Promise<void> {
  if (eventIds.length === 0) return;
  await pool.query({
    name: 'emails_still',
    text: 'UPDATE pending_email SET at = now() WHERE "eventId" = ANY ($1) AND at < now()',
    values: [eventIds],
  });
}

/** Writes the emails about the events that a process takes, many together, and those that others did not write. */
export class EventEmailWriter {
  private waiting: EventToEmail[] = [];
  private timer: NodeJS.Timeout | undefined;
  private writing = 0;
  private sweeping = false;
  /** Events to many that wait for their turn here, or are being written about. */
  private readonly toMany = new Set<string>();

  constructor(private readonly emails: EventEmails) {}

  get types(): readonly string[] {
    return this.emails.types;
  }

  get idle(): boolean {
    return this.writing + this.waiting.length === 0;
  }

  /** Writes about those of the events that emails are written about. */
  add(events: readonly EventToEmail[]): void {
    const emailed = events.filter(({ type }) => this.types.includes(type));
    this.waiting.push(...this.beginToMany(emailed));
    if (this.waiting.length > 0) this.timer ??= setTimeout(() => void this.writeWaiting(), gatherMs);
  }

  /** Writes what was not written in time: the process that took the events died, or failed. */
  async sweep(): Promise<void> {
    try {
      await stillWriting([...this.toMany]);
      if (this.sweeping) return;
      this.sweeping = true;
      try {
        const values = [patienceSeconds];
        const { rows } = await pool.query<EventToEmail>({ name: 'emails_unwritten', text: TAKE_UNWRITTEN, values });
        const others = this.beginToMany(rows);
        if (others.length > 0) await this.write(others);
      } finally {
        this.sweeping = false;
      }
    } catch (error) {
      logger.warn({ err: error }, 'could not look for events that emails are to be written about; will try again');
    }
  }

  /** Begins writing about those of the events that many get an email about. @returns the others */
  private beginToMany(events: readonly EventToEmail[]): EventToEmail[] {
    return events.filter((event) => {
      const isToMany = this.emails.toMany.includes(event.type);
      if (isToMany && !this.toMany.has(event.id)) {
        this.toMany.add(event.id);
        void this.write([event]).finally(() => this.toMany.delete(event.id));
      }
      return !isToMany;
    });
  }

  private async writeWaiting(): Promise<void> {
    this.timer = undefined;
    await this.write(this.waiting.splice(0));
  }

  private async write(events: EventToEmail[]): Promise<void> {
    this.writing += 1;
    try {
      await this.emails.write(events);
    } catch (error) {
      const [event] = events;
      if (events.length === 1 || isTransient(error)) {
        logger.warn(
          { err: error, eventId: event?.id, events: events.length },
          'emails about events wait to be written again',
        );
      } else {
        // One that fails must not keep the others.
        for (const each of events) await this.write([each]);
      }
    }
    this.writing -= 1;
  }
}
