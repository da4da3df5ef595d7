import { newId } from '@/domain/ids';
import { env } from '@/env';
import type { Prisma } from '@/generated/prisma/client';
import type { Tx } from '@/server/db';
import { type EventPayload, type EventType, eventCatalogue } from '@/server/events/catalog';

/** Who caused a change; stored with the event and the audit entry. */
export type Actor = { type: 'user'; id: string } | { type: 'api_key'; id: string } | { type: 'system'; id: null };

export const systemActor: Actor = { type: 'system', id: null };

/** An event to write: its type decides the shape of the payload. `projectId` null: concerns no project. */
export type NewEvent = {
  [Type in EventType]: { projectId: string | null; type: Type; aggregateId: string; payload: EventPayload<Type> };
}[EventType];

/** The origin of a change: who, and in which request. */
export type Origin = { actor: Actor; requestId: string | null };

/** Events as rows, in order; for a statement that writes them together with their change. */
export function eventRows(origin: Origin, events: readonly NewEvent[]) {
  return events.map((event) => {
    const { aggregateType, version, payload } = eventCatalogue[event.type];
    // Types hold the shape; what types cannot say (dates, whole numbers) is caught before it ships.
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
 * Writes domain events in the transaction of the change. At commit a trigger wakes the relay and live pages
 * of every process.
 * @returns the ids of the events, in order
 */
export async function emit(tx: Tx, origin: Origin, ...events: NewEvent[]): Promise<string[]> {
  const rows = eventRows(origin, events);
  await tx.domainEvent.createMany({ data: rows });
  return rows.map((row) => row.id);
}

/** What someone did to what. `details` must hold no secret. */
type Act = {
  projectId: string | null;
  action: string;
  targetType: string;
  targetId: string;
  details?: Prisma.InputJsonObject;
};

/** Writes who did what, in the transaction of the change. */
export async function audit(tx: Tx, origin: Origin, ...acts: Act[]): Promise<void> {
  const by = { actorType: origin.actor.type, actorId: origin.actor.id, requestId: origin.requestId };
  await tx.auditEntry.createMany({ data: acts.map((act) => ({ id: newId('aud'), ...by, ...act })) });
}
