import { newId } from '@/domain/ids';
import type { AccountAuditAction, AuditTarget, ProjectAuditAction } from '@/domain/projects/audit-actions';
import { env } from '@/env';
import { Prisma } from '@/generated/prisma/client';
import { afterCommit, rowsOf, type Tx } from '@/server/db';
import {
  type AvailableEventType,
  type EventPayload,
  type EventProjectId,
  eventCatalog,
} from '@/server/events/catalog/catalog';
import { announce, type EventNotice } from '@/server/events/live';
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

/** The origin of a change: who made it, and in which request. */
export type Origin = { actor: Actor; requestId: string | null };

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
      metadata: { actor: origin.actor, requestId: origin.requestId },
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

function insertEvents(rows: readonly EventRow[]): Prisma.Sql {
  return Prisma.sql`
    INSERT INTO "domain_event" ("id", "projectId", "type", "version", "aggregateType", "aggregateId", "payload", "metadata", "occurredAt")
    SELECT "id", "projectId", "type", "version", "aggregateType", "aggregateId", "payload", "metadata", clock_timestamp()
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS e("id" text, "projectId" text, "type" text, "version" int,
      "aggregateType" text, "aggregateId" text, "payload" jsonb, "metadata" jsonb)`;
}

/**
 * Writes domain events in the transaction of the change, and announces them when it commits.
 * @returns the ids of the events, in order
 */
export async function emit(tx: Tx, origin: Origin, ...events: NewEvent[]): Promise<string[]> {
  const rows = eventRows(origin, events);
  if (rows.length === 0) return [];
  await rowsOf(tx, insertEvents(rows));
  announceAfterCommit(tx, rows);
  return rows.map((row) => row.id);
}

/** An entry of the audit log. `details` must not contain secrets. */
type AuditEntry = (
  | { projectId: string; action: ProjectAuditAction; targetType: AuditTarget }
  | { projectId: null; action: AccountAuditAction; targetType: 'user' | 'access_token' | 'team' }
) & {
  targetId: string;
  details?: Prisma.InputJsonObject;
};

function auditRows({ actor, requestId }: Origin, entries: readonly AuditEntry[]) {
  return entries.map((entry) => ({ id: newId('aud'), actorType: actor.type, actorId: actor.id, requestId, ...entry }));
}

/** Writes audit entries in the transaction of the change. */
export async function audit(tx: Tx, origin: Origin, ...entries: AuditEntry[]): Promise<void> {
  await tx.auditEntry.createMany({ data: auditRows(origin, entries) });
}

/** What one change may write before it is counted: whoever changes one thing after the other is counted by the change. */
const uncountedEvents = 20;

/**
 * Counts what a person's change of many things at once writes: it stays, and one call may write a thousand times as much as
 * another.
 * @throws QUOTA_EXCEEDED (429)
 */
export async function takeBulk(tx: Tx, { actor }: Origin, projectId: string | null, count: number): Promise<void> {
  if (actor.type !== 'user' || projectId === null || count <= uncountedEvents) return;
  await takeQuota(tx, 'bulkEvents', projectId, count);
}

/**
 * Does what `emit` and `audit` do, in one statement, for a change in one project.
 * @throws QUOTA_EXCEEDED (429) where a project has changed too many things in bulk
 */
export async function record(
  tx: Tx,
  origin: Origin,
  events: readonly NewEvent[],
  ...entries: AuditEntry[]
): Promise<void> {
  if (events.length === 0) return audit(tx, origin, ...entries);
  const rows = eventRows(origin, events);
  await takeBulk(tx, origin, rows[0]?.projectId ?? null, rows.length);
  await rowsOf(
    tx,
    Prisma.sql`
      WITH "audited" AS (
        INSERT INTO "audit_entry" ("id", "projectId", "actorType", "actorId", "action", "targetType", "targetId", "details", "requestId")
        SELECT "id", "projectId", "actorType", "actorId", "action", "targetType", "targetId", coalesce("details", '{}'), "requestId"
        FROM jsonb_to_recordset(${JSON.stringify(auditRows(origin, entries))}::jsonb) AS a("id" text, "projectId" text,
          "actorType" text, "actorId" text, "action" text, "targetType" text, "targetId" text, "details" jsonb, "requestId" text)
      ) ${insertEvents(rows)}`,
  );
  announceAfterCommit(tx, rows);
}

type PageNotice = { type: `${string}.changed`; projectId: string } & (
  | {
      tournamentId: string;
      /** The match that it is about, if it is about one. */
      matchId?: string;
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
  const sent: EventNotice = { id: '', type, projectId, ...aggregateOf(notice), userId: null };
  afterCommit(tx, () => announce([sent]));
}
