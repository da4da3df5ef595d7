import { checkInEnd, owesCheckIn } from '@/domain/participants/check-in';
import type { ParticipantState } from '@/domain/participants/statuses';
import type { ScheduledMoment } from '@/domain/tournaments/phase';
import { checkInWindow, phaseOf } from '@/domain/tournaments/schedule';

/** The parts of a registration that decide what its player sees. */
export type RegistrationFacts = ParticipantState & {
  type: string;
  waitlistPosition: number | null;
  /** When they registered (again); ISO 8601. */
  registeredAt: string;
  /** When they got their slot; ISO 8601. */
  approvedAt: string | null;
  /** The organizer's reason for a rejection or disqualification. */
  statusReason: string | null;
  /** The version of the organizer's questions that was answered. */
  customFieldsVersion: number;
  canEdit: boolean;
  /** Someone else put them on the roster, and they have not accepted. */
  mustAccept: boolean;
};

type Tournament = {
  /** The current version of the organizer's questions. */
  customFieldsVersion: number;
  status: string;
  startDate: string;
  checkInOpensAt: string | null;
  checkInClosesAt: string | null;
};

/** What a registration means to its player, and what they must do next. */
export type RegistrationState = {
  title: string;
  detail: string;
  /** The organizer's reason for a rejection or disqualification. */
  reason: string | null;
  /** The moment that matters next. */
  next: ScheduledMoment | null;
  /** Whether they must check in now. */
  mustCheckIn: boolean;
  /** Whether the questions have changed since they answered them. */
  mustUpdateAnswers: boolean;
  /** Whether they must accept or leave. */
  mustAccept: boolean;
  /** Smaller is more urgent; ties are ordered by `next`. */
  urgency: number;
};

type StateWithoutQuestions = Omit<RegistrationState, 'mustUpdateAnswers' | 'mustAccept'>;

/** What a registration means at `now` (milliseconds). */
export function registrationState(
  registration: RegistrationFacts,
  tournament: Tournament,
  now: number,
): RegistrationState {
  const state = withoutQuestions(registration, tournament, now);
  const mustUpdateAnswers = registration.canEdit && registration.customFieldsVersion < tournament.customFieldsVersion;
  // Also once nothing else can change: results stay with a player until they leave.
  const mustAccept = registration.mustAccept && registration.registrationStatus !== 'cancelled';
  const urgency = mustUpdateAnswers || mustAccept ? Math.min(state.urgency, 1) : state.urgency;
  return { ...state, mustUpdateAnswers, mustAccept, urgency };
}

function idle(title: string, detail: string, urgency = 9): StateWithoutQuestions {
  return { title, detail, reason: null, next: null, mustCheckIn: false, urgency };
}

/** The state of a registration that can no longer change; null while it can. */
function finalState(registration: RegistrationFacts, tournament: Tournament): StateWithoutQuestions | null {
  const { registrationStatus, status, statusReason } = registration;
  const isTeam = registration.type === 'team';
  const notPlaying = `${isTeam ? 'Your team is' : 'You are'} not playing in this tournament.`;
  if (registrationStatus === 'cancelled') return idle('Registration cancelled', notPlaying);
  if (registrationStatus === 'rejected') {
    return { ...idle('Registration rejected', 'The organizer rejected your registration.'), reason: statusReason };
  }
  if (tournament.status === 'CANCELLED') {
    return idle('Tournament cancelled', 'The organizer cancelled this tournament.');
  }
  switch (status) {
    case 'eliminated':
      return idle('Eliminated', 'Thanks for playing.');
    case 'disqualified': {
      const detail = `The organizer disqualified ${isTeam ? 'your team' : 'you'}.`;
      return { ...idle('Disqualified', detail), reason: statusReason };
    }
    case 'no_show':
      return idle('Marked as a no-show', `${isTeam ? 'Your team' : 'You'} did not show up in time.`);
    case 'withdrew':
      return idle(isTeam ? 'Your team withdrew' : 'You withdrew', notPlaying);
    default:
      return tournament.status === 'COMPLETED' ? idle('The tournament is over', 'Thanks for playing.') : null;
  }
}

function withoutQuestions(registration: RegistrationFacts, tournament: Tournament, now: number): StateWithoutQuestions {
  const final = finalState(registration, tournament);
  if (final) return final;
  const subject = registration.type === 'team' ? 'Your team is' : 'You are';
  const start = Date.parse(tournament.startDate);
  const starts: ScheduledMoment | null = now < start ? { at: start, label: 'Starts' } : null;
  if (registration.registrationStatus === 'pending') {
    const detail = 'The organizer reviews every registration. You do not need to do anything now.';
    return { ...idle('Awaiting approval', detail, 5), next: starts };
  }
  if (registration.registrationStatus === 'waitlisted') {
    const position = registration.waitlistPosition;
    const title = position ? `Number ${position} on the waitlist` : 'On the waitlist';
    const detail = 'When a slot opens up, it goes to the first on the waitlist automatically.';
    return { ...idle(title, detail, 4), next: starts };
  }
  if (tournament.status === 'IN_PROGRESS') return idle(`${subject} playing`, 'The tournament is live.', 1);
  if (registration.status === 'checked_in') {
    return { ...idle(`${subject} checked in`, 'Be ready when the tournament starts.', 3), next: starts };
  }
  if (!owesCheckIn(registration, checkInEnd(tournament))) {
    return {
      ...idle(`${subject} in`, 'Check-in had closed when you got your slot, so you do not need to check in.', 3),
      next: starts,
    };
  }
  return approvedState(`${subject} in`, tournament, now, starts);
}

function approvedState(
  title: string,
  tournament: Tournament,
  now: number,
  starts: ScheduledMoment | null,
): StateWithoutQuestions {
  const window = checkInWindow(tournament);
  switch (phaseOf(window, now)) {
    case 'before': {
      const next = window.opensAt === null ? null : { at: window.opensAt, label: 'Check-in opens' };
      return { ...idle(title, 'Check in once it opens, or you may lose your slot.', 2), next };
    }
    case 'open': {
      const next = { at: window.closesAt, label: 'Check-in closes' };
      const detail = 'Confirm that you are here, or you may lose your slot.';
      return { ...idle('Check in now', detail, 0), next, mustCheckIn: true };
    }
    case 'after': {
      if (window.opensAt === null) {
        return idle(title, 'Waiting for the organizer to start.', 2);
      }
      const detail = 'You did not check in. Ask the organizer, who can still check you in.';
      return { ...idle('Check-in is closed', detail, 1), next: starts };
    }
    case 'unset':
      return { ...idle(title, 'You have nothing else to do before the start.', 3), next: starts };
  }
}

/** Orders the most urgent first, then what comes sooner. */
export function byUrgency(a: RegistrationState, b: RegistrationState): number {
  return a.urgency - b.urgency || (a.next?.at ?? Number.POSITIVE_INFINITY) - (b.next?.at ?? Number.POSITIVE_INFINITY);
}
