import { pool } from '@/server/db';
import { Refusal } from '@/server/errors';
import { projectTurnSql } from '@/server/events/project-turn';
import { isTransient } from '@/server/jobs/embedded/database';
import { logger } from '@/server/logger';

export type EventToEmail = {
  id: string;
  projectId: string | null;
  type: string;
  payload: unknown;
  metadata: unknown;
};

/** Events of one project whose emails are written together. */
export type EmailPage = {
  events: EventToEmail[];
  /** Writes them when it is the project's turn. Called again for events for which `emailsWritten` was not called. */
  write: () => Promise<void>;
};

/** Emails about events. */
export type EventEmails = {
  /** The types of events that emails are written about. */
  types: readonly string[];
  /** The pages to write about events. Those of one project come in the order of the events. */
  pagesOf: (events: EventToEmail[]) => Promise<EmailPage[]>;
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
    SELECT e.id, e."projectId", e.type, e.payload, e.metadata, e."occurredAt" FROM due JOIN domain_event e ON e.id = due.id
    WHERE e."occurredAt" > now() - interval '${maxAgeHours} hours'
  ), later AS (
    UPDATE pending_email p SET at = now() + (now() - f."occurredAt") / 2 FROM found f WHERE p."eventId" = f.id
  ), dropped AS (
    DELETE FROM pending_email p USING due WHERE p."eventId" = due.id AND NOT EXISTS (SELECT FROM found f WHERE f.id = due.id)
  )
  SELECT id, "projectId", type, payload, metadata FROM found ORDER BY "occurredAt", id`;

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

function warn(error: unknown, events: readonly EventToEmail[]): void {
  const [event] = events;
  logger.warn(
    { err: error, eventId: event?.id, events: events.length },
    'emails about events wait to be written again',
  );
}

/** Writes the emails about the events that a process takes, many together, and those that others did not write. */
export class EventEmailWriter {
  private waiting: EventToEmail[] = [];
  private timer: NodeJS.Timeout | undefined;
  private sweeping = false;
  /** Events that wait for their turn here, or are being written about. */
  private readonly writing = new Set<string>();

  constructor(private readonly emails: EventEmails) {}

  get types(): readonly string[] {
    return this.emails.types;
  }

  get idle(): boolean {
    return this.timer === undefined && !this.sweeping && this.writing.size === 0;
  }

  /** Writes about those of the events that emails are written about. */
  add(events: readonly EventToEmail[]): void {
    this.waiting.push(...events.filter(({ type }) => this.types.includes(type)));
    if (this.waiting.length > 0) this.timer ??= setTimeout(() => void this.writeWaiting(), gatherMs);
  }

  /** Writes what was not written in time: the process that took the events died, failed, or had too many waiting. */
  async sweep(): Promise<void> {
    try {
      await stillWriting([...this.writing]);
      if (this.sweeping) return;
      this.sweeping = true;
      try {
        const values = [patienceSeconds];
        const { rows } = await pool.query<EventToEmail>({ name: 'emails_unwritten', text: TAKE_UNWRITTEN, values });
        await this.begin(rows);
      } finally {
        this.sweeping = false;
      }
    } catch (error) {
      logger.warn({ err: error }, 'could not look for events that emails are to be written about; will try again');
    }
  }

  /** One batch after the other takes its places, so that emails about one participant keep their order. */
  private async writeWaiting(): Promise<void> {
    const events = this.waiting.splice(0);
    try {
      await this.begin(events);
    } catch (error) {
      warn(error, events);
    }
    this.timer = undefined;
    this.add([]);
  }

  /** Has the pages of events wait for their turn, but for those that already do. */
  private async begin(events: readonly EventToEmail[]): Promise<void> {
    const pages = await this.emails.pagesOf(events.filter(({ id }) => !this.writing.has(id)));
    for (const page of pages) {
      for (const { id } of page.events) this.writing.add(id);
      void this.write(page)
        .catch((error) => warn(error, page.events))
        .finally(() => {
          for (const { id } of page.events) this.writing.delete(id);
        });
    }
  }

  private async write({ events, write }: EmailPage): Promise<void> {
    try {
      await write();
    } catch (error) {
      // So much waits that the queue takes no more: a sweep finds these again.
      if (error instanceof Refusal && error.reason === 'OVERLOADED') return;
      if (events.length === 1 || isTransient(error)) {
        warn(error, events);
        return;
      }
      // One that fails must not keep the others.
      for (const event of events) {
        for (const page of await this.emails.pagesOf([event])) await this.write(page);
      }
    }
  }
}
