import { newId } from '@/domain/ids';
import { env } from '@/env';
import type { Prisma } from '@/generated/prisma/client';
import type { Tx } from '@/server/db';
import {
  type AvailableEventType,
  type EventPayload,
  type EventProjectId,
  eventCatalog,
} from '@/server/events/catalog/catalog';
import type { EventNotice } from '@/server/events/live';

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

/**
 * Writes domain events in the transaction of the change. When it commits, a trigger notifies the relay and the live
 * pages of every process.
 * @returns the ids of the events, in order
 */
export async function emit(tx: Tx, origin: Origin, ...events: NewEvent[]): Promise<string[]> {
  const rows = eventRows(origin, events);
  await tx.domainEvent.createMany({ data: rows });
  return rows.map((row) => row.id);
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
export async function notifyPages(tx: Tx, notice: PageNotice): Promise<void> {
  const { type, projectId } = notice;
  const sent: EventNotice = { id: '', type, projectId, ...aggregateOf(notice), userId: null };
  await tx.$executeRaw`SELECT pg_notify('laurel_event', ${JSON.stringify(sent)})`;
}

/** An entry of the audit log. `details` must not contain secrets. */
type AuditEntry = {
  projectId: string | null;
  action: string;
  targetType: string;
  targetId: string;
  details?: Prisma.InputJsonObject;
};

/** Writes audit entries in the transaction of the change. */
export async function audit(tx: Tx, origin: Origin, ...entries: AuditEntry[]): Promise<void> {
  const by = { actorType: origin.actor.type, actorId: origin.actor.id, requestId: origin.requestId };
  await tx.auditEntry.createMany({ data: entries.map((entry) => ({ id: newId('aud'), ...by, ...entry })) });
}
