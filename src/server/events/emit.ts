import { newId } from '@/domain/ids';
import type { AccountAuditAction, AuditTarget, ProjectAuditAction } from '@/domain/projects/audit-actions';
import { type Permission, rolesWith } from '@/domain/projects/permissions';
import { env } from '@/env';
import { Prisma } from '@/generated/prisma/client';
import { afterCommit, rowsOf, type Tx } from '@/server/db';
import { refuse } from '@/server/errors';
import {
  type AvailableEventType,
  type EventPayload,
  type EventProjectId,
  eventCatalog,
} from '@/server/events/catalog/catalog';
import { announce, type EventNotice } from '@/server/events/live';
import { projectTurnSql } from '@/server/events/project-turn';
import { takeQuota } from '@/server/limits/take-quota';

/** Who made a change; stored with the event and the audit entry. */
export type Actor = { type: 'user'; id: string } | { type: 'api_key'; id: string } | { type: 'system'; id: null };

export const systemActor: Actor = { type: 'system', id: null };

/** An event to write: its type decides the shape of the payload, and whether it may be without a project. */
export type NewEvent = {
  [Type in AvailableEventType]: {
    projectId: EventProjectId<Type>;
    type: Type;
    aggregateId: string;
    payload: EventPayload<Type>;
  };
}[AvailableEventType];

/** The permission in a project by which a member makes a change. */
type Right = { projectId: string; userId: string; permission: Permission };

/** An account whose sessions have not ended since `sessionVersion` was looked up. */
type Session = { id: string; sessionVersion: number };

/** The origin of a change: who made it, in which request, in which session and by which right, if in or by one. */
export type Origin = { actor: Actor; requestId: string | null; session?: Session; right?: Right };

/**
 * Rows where a member still has the right of a change, or where it needs none. Their role stays as it is until the
 * transaction ends: removing or demoting them waits for it.
 */
function heldRight({ right }: Origin): Prisma.Sql {
  if (!right) return Prisma.sql`SELECT 1`;
  return Prisma.sql`
    SELECT 1 FROM "member" WHERE "projectId" = ${right.projectId} AND "userId" = ${right.userId}
      AND "role"::text = ANY(${rolesWith(right.permission)}) FOR SHARE`;
}

/**
 * Rows where the session of a change has not ended while it waited, or where it needs none: otherwise a stranger could
 * still act for the owner of an address who has just taken the account over. Whatever ends sessions waits until the
 * transaction ends, and finds what it wrote.
 */
function openSession({ session }: Origin): Prisma.Sql {
  if (!session) return Prisma.sql`SELECT 1`;
  return Prisma.sql`
    SELECT 1 FROM "user" WHERE "id" = ${session.id} AND "sessionVersion" = ${session.sessionVersion} FOR SHARE`;
}

/** Runs a statement that checks its caller again, beside what its other parts write. @throws UNAUTHENTICATED, FORBIDDEN */
async function runChecked(tx: Tx, origin: Origin, parts: readonly Prisma.Sql[]): Promise<void> {
  const held = Prisma.sql`"held" AS MATERIALIZED (${heldRight(origin)})`;
  const open = Prisma.sql`"open" AS MATERIALIZED (${openSession(origin)})`;
  const [result] = await rowsOf<{ isHeld: boolean; isOpen: boolean }>(
    tx,
    Prisma.sql`
      WITH ${Prisma.join([held, open, ...parts], ', ')}
      SELECT EXISTS (SELECT FROM "held") AS "isHeld", EXISTS (SELECT FROM "open") AS "isOpen"`,
  );
  if (!result?.isOpen) throw refuse('UNAUTHENTICATED');
  if (!result.isHeld) throw refuse('FORBIDDEN', { message: 'Your role in this project no longer allows this.' });
}

/**
 * Checks again, in the transaction of a change, the session and the right that its caller was admitted by. For changes
 * without an event and an audit entry: those that have one are checked by the statement that writes it.
 * @throws UNAUTHENTICATED, FORBIDDEN
 */
export async function requireRight(tx: Tx, origin: Origin): Promise<void> {
  if (origin.session || origin.right) await runChecked(tx, origin, []);
}

/** The form of the request ids that we make. */
const madeHere = /^req_[0-7][0-9a-hjkmnp-tv-z]{25}$/;

/**
 * The id of the request of a change, as a project reads it. Callers may choose any text as the id: from somebody without a
 * right in the project it is left out, unless it has the form of ours.
 */
function shownRequestId({ actor, requestId, right }: Origin, projectId: string | null): string | null {
  if (actor.type === 'api_key' || (right && right.projectId === projectId)) return requestId;
  return requestId !== null && madeHere.test(requestId) ? requestId : null;
}

/** Events as database rows, in order, for a statement that writes them together with their change. */
export function eventRows(origin: Origin, events: readonly NewEvent[]) {
  return events.map((event) => {
    const { aggregateType, version, payload } = eventCatalog[event.type];
    // The compiler checks the shape. Formats and ranges are checked here, before they reach production.
    if (env.NODE_ENV !== 'production') payload.parse(event.payload);
    return {
      id: newId('evt'),
      projectId: event.projectId,
      type: event.type,
      version,
      aggregateType,
      aggregateId: event.aggregateId,
      payload: event.payload,
      metadata: { actor: origin.actor, requestId: shownRequestId(origin, event.projectId) },
    };
  });
}

type EventRow = ReturnType<typeof eventRows>[number];
type AnnouncedEvent = Omit<EventNotice, 'tournamentId' | 'userId'> & { payload: unknown };

const textOf = (value: unknown) => (typeof value === 'string' ? value : null);

function noticeOf({ id, type, projectId, aggregateType, aggregateId, payload }: AnnouncedEvent): EventNotice {
  const { tournamentId, userId } = payload as { tournamentId?: unknown; userId?: unknown };
  return {
    id,
    type,
    projectId,
    aggregateType,
    aggregateId,
    tournamentId: textOf(tournamentId),
    userId: textOf(userId),
  };
}

/** Tells the webhook engine and the live pages of every process of committed events. */
export function announceEvents(events: readonly AnnouncedEvent[]): void {
  announce(events.map(noticeOf));
}

/**
 * Announces events when the transaction commits, for statements that write the rows themselves. What was not announced,
 * because the process died, the engine finds within seconds.
 */
export function announceAfterCommit(tx: Tx, rows: readonly EventRow[]): void {
  afterCommit(tx, () => announceEvents(rows));
}

/**
 * Rows as a table of a statement, with the types of their columns. One row, as most changes write, as values: reading it
 * from JSON takes PostgreSQL a quarter of the time that a statement takes.
 */
function tableOf<Column extends string>(
  rows: readonly Partial<Record<Column, unknown>>[],
  types: Record<Column, 'text' | 'int' | 'jsonb'>,
): Prisma.Sql {
  const columns = Object.entries<string>(types) as [Column, string][];
  const [row] = rows;
  if (!row || rows.length > 1) {
    const typed = columns.map(([name, type]) => `"${name}" ${type}`).join(', ');
    return Prisma.sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS v(${Prisma.raw(typed)})`;
  }
  const values = columns.map(([name, type]) => {
    const value = type === 'jsonb' && row[name] !== undefined ? JSON.stringify(row[name]) : (row[name] ?? null);
    return Prisma.sql`${value}::${Prisma.raw(type)}`;
  });
  const names = columns.map(([name]) => `"${name}"`).join(', ');
  return Prisma.sql`(VALUES (${Prisma.join(values)})) AS v(${Prisma.raw(names)})`;
}

/** Ends the part "emitted" of a statement, which writes events, and says that something is to be done about them. */
export const asPending = Prisma.sql`RETURNING "id", "projectId", "sequence"
    ), "pending" AS (
      INSERT INTO "pending_event" ("eventId", "projectId", "turn", "sequence")
      SELECT "id", coalesce("projectId", ''), coalesce(${Prisma.raw(projectTurnSql('"emitted"."projectId"'))}, ''), "sequence" FROM "emitted"
    )`;

function insertEvents(rows: readonly EventRow[]): Prisma.Sql {
  const table = tableOf(rows, {
    id: 'text',
    projectId: 'text',
    type: 'text',
    version: 'int',
    aggregateType: 'text',
    aggregateId: 'text',
    payload: 'jsonb',
    metadata: 'jsonb',
  });
  return Prisma.sql`"emitted" AS (
    INSERT INTO "domain_event" ("id", "projectId", "type", "version", "aggregateType", "aggregateId", "payload", "metadata", "occurredAt")
    SELECT "id", "projectId", "type", "version", "aggregateType", "aggregateId", "payload", "metadata", clock_timestamp() FROM ${table}
    ${asPending}`;
}

/** An entry of the audit log. `details` must not contain secrets. */
type AuditEntry = (
  | { projectId: string; action: ProjectAuditAction; targetType: AuditTarget }
  | { projectId: null; action: AccountAuditAction; targetType: 'user' | 'access_token' | 'team' | 'anti_cheat_client' }
) & {
  targetId: string;
  details?: Prisma.InputJsonObject;
};

function auditRows(origin: Origin, entries: readonly AuditEntry[]) {
  const { actor } = origin;
  return entries.map((entry) => {
    const requestId = shownRequestId(origin, entry.projectId);
    return { id: newId('aud'), actorType: actor.type, actorId: actor.id, requestId, ...entry };
  });
}

function insertEntries(rows: ReturnType<typeof auditRows>): Prisma.Sql {
  const table = tableOf(rows, {
    id: 'text',
    projectId: 'text',
    actorType: 'text',
    actorId: 'text',
    action: 'text',
    targetType: 'text',
    targetId: 'text',
    details: 'jsonb',
    requestId: 'text',
  });
  return Prisma.sql`"audited" AS (
    INSERT INTO "audit_entry" ("id", "projectId", "actorType", "actorId", "action", "targetType", "targetId", "details", "requestId")
    SELECT "id", "projectId", "actorType", "actorId", "action", "targetType", "targetId", coalesce("details", '{}'), "requestId"
    FROM ${table})`;
}

/** The statement of `record`, `emit` and `audit`. */
async function write(
  tx: Tx,
  origin: Origin,
  events: ReturnType<typeof eventRows>,
  entries: readonly AuditEntry[],
): Promise<string[]> {
  if (events.length + entries.length === 0) return [];
  const parts = [
    ...(entries.length > 0 ? [insertEntries(auditRows(origin, entries))] : []),
    ...(events.length > 0 ? [insertEvents(events)] : []),
  ];
  await runChecked(tx, origin, parts);
  announceAfterCommit(tx, events);
  return events.map(({ id }) => id);
}

/**
 * Writes domain events in the transaction of the change, and announces them when it commits. The same statement checks
 * that the actor still has the session and the right that they were admitted by.
 * @returns the ids of the events, in order
 * @throws UNAUTHENTICATED, FORBIDDEN
 */
export function emit(tx: Tx, origin: Origin, ...events: NewEvent[]): Promise<string[]> {
  return write(tx, origin, eventRows(origin, events), []);
}

/** Writes audit entries in the transaction of the change. @throws UNAUTHENTICATED, FORBIDDEN as `emit` */
export async function audit(tx: Tx, origin: Origin, ...entries: AuditEntry[]): Promise<void> {
  await write(tx, origin, [], entries);
}

/** Events that one change may write before they count as bulk: smaller changes are limited by the request. */
const uncountedEvents = 20;

/**
 * Counts the events that a person's change of many things at once is about to write: they stay, and one call may write a
 * thousand times as many as another.
 * @throws QUOTA_EXCEEDED (429)
 */
export async function takeBulk(tx: Tx, { actor }: Origin, projectId: string, count: number): Promise<void> {
  if (actor.type !== 'user' || count <= uncountedEvents) return;
  await takeQuota(tx, 'bulkEvents', projectId, count);
}

/** Does what `emit` and `audit` do, in one statement. @throws UNAUTHENTICATED, FORBIDDEN as `emit` */
export async function record(
  tx: Tx,
  origin: Origin,
  events: readonly NewEvent[],
  ...entries: AuditEntry[]
): Promise<void> {
  await write(tx, origin, eventRows(origin, events), entries);
}

type PageNotice = { type: `${string}.changed`; projectId: string } & (
  | {
      tournamentId: string;
      /** The match that it is about, if it is about one. */
      matchId?: string;
      /** Whose own pages get the notice as well, if anybody's. */
      userId?: string;
    }
  | { detectionId: string }
);

/** What a notice is about. */
function aggregateOf(notice: PageNotice): Pick<EventNotice, 'aggregateType' | 'aggregateId' | 'tournamentId'> {
  if ('detectionId' in notice) {
    return { aggregateType: 'detection', aggregateId: notice.detectionId, tournamentId: null };
  }
  const { tournamentId, matchId } = notice;
  if (matchId) return { aggregateType: 'match', aggregateId: matchId, tournamentId };
  return { aggregateType: 'tournament', aggregateId: tournamentId, tournamentId };
}

/**
 * Tells the open pages of every process, when the transaction commits, that something of a tournament or a detection
 * changed that no event reports. `type` is no event type: nothing but pages reads the notice.
 */
export function notifyPages(tx: Tx, notice: PageNotice): void {
  const { type, projectId } = notice;
  const userId = 'userId' in notice ? (notice.userId ?? null) : null;
  const sent: EventNotice = { id: '', type, projectId, ...aggregateOf(notice), userId };
  afterCommit(tx, () => announce([sent]));
}
