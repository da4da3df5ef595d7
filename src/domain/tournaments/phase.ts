import { checkInWindow, phaseOf, registrationWindow, type Schedule } from '@/domain/tournaments/schedule';

/**
 * What a tournament offers someone who might register. `overdue`: the start time has passed and the organizer has not
 * started it.
 */
export type Phase =
  | 'draft'
  | 'soon'
  | 'open'
  | 'waitlist'
  | 'full'
  | 'check_in'
  | 'closed'
  | 'overdue'
  | 'live'
  | 'completed'
  | 'cancelled';

/** A moment to count down to (milliseconds); `label` says what happens then. */
export type ScheduledMoment = { at: number; label: string };

type Facts = Schedule<string> & { maxParticipants: number; currentParticipants: number; waitlistEnabled: boolean };

/** The phase at `now` (milliseconds) and the moment that matters next, null where none is set. */
export function tournamentPhase(tournament: Facts, now: number): { phase: Phase; next: ScheduledMoment | null } {
  const { status } = tournament;
  const start = Date.parse(tournament.startDate);
  const starts = { at: start, label: 'Starts' };
  if (status === 'DRAFT') return { phase: 'draft', next: starts };
  if (status === 'IN_PROGRESS') return { phase: 'live', next: null };
  if (status === 'COMPLETED') return { phase: 'completed', next: null };
  if (status === 'CANCELLED') return { phase: 'cancelled', next: null };
  if (now >= start) return { phase: 'overdue', next: null };

  const registration = registrationWindow(tournament);
  const checkIn = checkInWindow(tournament);
  const full = tournament.currentParticipants >= tournament.maxParticipants;
  if (phaseOf(registration, now) === 'open' && (!full || tournament.waitlistEnabled)) {
    const closes = registration.closesAt < start ? { at: registration.closesAt, label: 'Closes' } : starts;
    return { phase: full ? 'waitlist' : 'open', next: closes };
  }
  if (phaseOf(checkIn, now) === 'open') return { phase: 'check_in', next: starts };
  if (full) return { phase: 'full', next: starts };
  if (phaseOf(registration, now) === 'before' && registration.opensAt !== null) {
    return { phase: 'soon', next: { at: registration.opensAt, label: 'Opens' } };
  }
  return { phase: 'closed', next: starts };
}

/** Every moment, in milliseconds, at which the phase of a tournament may change without anyone acting. */
export function phaseChanges(tournament: Schedule<string>): number[] {
  const registration = registrationWindow(tournament);
  const checkIn = checkInWindow(tournament);
  return [
    registration.opensAt,
    registration.closesAt,
    checkIn.opensAt,
    checkIn.closesAt,
    Date.parse(tournament.startDate),
  ]
    .filter((at): at is number => at !== null)
    .sort((a, b) => a - b);
}
