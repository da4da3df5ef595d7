import type { ParticipantState } from '@/domain/participants/statuses';
import type { ParticipantModel } from '@/generated/prisma/models';
import type { EventPayload } from '@/server/events/catalog/catalog';
import type { NewEvent } from '@/server/events/emit';

/** What an event says about a participant. */
export type ParticipantEventRow = Pick<
  ParticipantModel,
  'id' | 'tournamentId' | 'userId' | 'name' | 'type' | 'registrationStatus' | 'status' | 'seed'
>;

type ParticipantEvent = Extract<NewEvent, { type: `participant.${string}` }>;
type CommonPayload = EventPayload<'participant.registered'>;

/**
 * An event about a participant.
 * @param previous their state before the change; null for a new participant
 * @param details the fields that only this type of event has
 */
export function participantEvent<Type extends ParticipantEvent['type']>(
  type: Type,
  projectId: string,
  row: ParticipantEventRow,
  previous: ParticipantState | null,
  ...details: keyof EventPayload<Type> extends keyof CommonPayload
    ? []
    : [Omit<EventPayload<Type>, keyof CommonPayload>]
): NewEvent {
  const { id, tournamentId, userId, name, registrationStatus, status, seed } = row;
  const common: CommonPayload = {
    tournamentId,
    participantId: id,
    userId,
    name,
    type: row.type,
    registrationStatus,
    status,
    seed,
    // Field by field: callers may pass a whole row, and nothing else in it may leave the service.
    previous: previous && { registrationStatus: previous.registrationStatus, status: previous.status },
  };
  return { type, projectId, aggregateId: id, payload: { ...common, ...details[0] } } as unknown as ParticipantEvent;
}
