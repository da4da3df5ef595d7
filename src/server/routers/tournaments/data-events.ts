import type { NewEvent } from '@/server/events/emit';
import type { SettingsRow } from './data';

const iso = (date: Date | null) => date?.toISOString() ?? null;

type EventRow = Pick<
  SettingsRow,
  | 'id'
  | 'projectId'
  | 'slug'
  | 'name'
  | 'status'
  | 'gameId'
  | 'format'
  | 'startDate'
  | 'maxParticipants'
  | 'currentParticipants'
>;

function tournamentPayload(row: EventRow) {
  return {
    tournamentId: row.id,
    slug: row.slug,
    name: row.name,
    status: row.status,
    game: row.gameId,
    format: row.format,
    startDate: row.startDate.toISOString(),
    maxParticipants: row.maxParticipants,
    currentParticipants: row.currentParticipants,
  };
}

/** An event about the lifecycle of a tournament. */
export function tournamentEvent(
  type: `tournament.${'created' | 'published' | 'started' | 'completed' | 'cancelled'}`,
  row: EventRow,
): NewEvent {
  return { type, projectId: row.projectId, aggregateId: row.id, payload: tournamentPayload(row) };
}

/** A `tournament.updated` event with the names of the changed fields. */
export function updatedEvent(row: EventRow, changes: string[]): NewEvent {
  const payload = { ...tournamentPayload(row), changes };
  return { type: 'tournament.updated', projectId: row.projectId, aggregateId: row.id, payload };
}

type RegistrationRow = Pick<
  SettingsRow,
  | 'id'
  | 'projectId'
  | 'slug'
  | 'name'
  | 'maxParticipants'
  | 'currentParticipants'
  | 'registrationOpensAt'
  | 'registrationClosesAt'
>;

/** An event about registration as a whole. */
export function registrationEvent(
  type: 'registration.opened' | 'registration.closed' | 'registration.full',
  row: RegistrationRow,
): NewEvent {
  return {
    type,
    projectId: row.projectId,
    aggregateId: row.id,
    payload: {
      tournamentId: row.id,
      slug: row.slug,
      name: row.name,
      maxParticipants: row.maxParticipants,
      currentParticipants: row.currentParticipants,
      opensAt: iso(row.registrationOpensAt),
      closesAt: iso(row.registrationClosesAt),
    },
  };
}
