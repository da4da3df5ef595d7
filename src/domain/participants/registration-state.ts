import type { ScheduledMoment } from '@/domain/tournaments/phase';
import { checkInWindow, phaseOf } from '@/domain/tournaments/schedule';

/** What of a registration decides what its player sees. */
export type RegistrationFacts = {
  type: string;
  registrationStatus: 'pending' | 'approved' | 'rejected' | 'waitlisted' | 'cancelled';
  status: 'registered' | 'checked_in' | 'active' | 'eliminated' | 'disqualified' | 'withdrew' | 'no_show';
  waitlistPosition: number | null;
  /** What the organizer said when they rejected or disqualified it. */
  statusReason: string | null;
  /** Which version of the organizer's questions was answered. */
  customFieldsVersion: number;
  canEdit: boolean;
};

type Tournament = {
  /** The version that is asked now. */
  customFieldsVersion: number;
  status: string;
  startDate: string;
  checkInOpensAt: string | null;
  checkInClosesAt: string | null;
};

/** Where a player stands and what they must do next. */
export type RegistrationState = {
  title: string;
  detail: string;
  /** What the organizer said about it. */
  reason: string | null;
  /** The moment that matters next. */
  next: ScheduledMoment | null;
  /** Whether checking in is what they must do now. */
  mustCheckIn: boolean;
  /** Whether the questions have changed since they answered them. */
  mustAnswer: boolean;
  /** Smaller is more pressing; equal ones go by `next`. */
  urgency: number;
};

const finalStates: Partial<Record<RegistrationFacts['status'], [title: string, detail: string]>> = {
  eliminated: ['You are out', 'Thanks for playing. The results stay here.'],
  disqualified: ['Disqualified', 'The organizer has taken you out.'],
  no_show: ['Marked as a no-show', 'You were not there in time.'],
  withdrew: ['You withdrew', 'You do not play in this tournament.'],
};

/** What a registration means at `now` (milliseconds). */
export function registrationState(entry: RegistrationFacts, tournament: Tournament, now: number): RegistrationState {
  const state = withoutQuestions(entry, tournament, now);
  const mustAnswer = entry.canEdit && entry.customFieldsVersion < tournament.customFieldsVersion;
  return { ...state, mustAnswer, urgency: mustAnswer ? Math.min(state.urgency, 1) : state.urgency };
}

type StateWithoutQuestions = Omit<RegistrationState, 'mustAnswer'>;

function withoutQuestions(entry: RegistrationFacts, tournament: Tournament, now: number): StateWithoutQuestions {
  const [you, are] = entry.type === 'team' ? ['Your team', 'is'] : ['You', 'are'];
  const idle = (title: string, detail: string, urgency = 9): StateWithoutQuestions => {
    return { title, detail, reason: null, next: null, mustCheckIn: false, urgency };
  };
  if (entry.registrationStatus === 'cancelled') return idle('Registration cancelled', 'You do not play here.');
  if (entry.registrationStatus === 'rejected') {
    return { ...idle('Not accepted', 'The organizer did not accept the registration.'), reason: entry.statusReason };
  }
  if (tournament.status === 'CANCELLED') return idle('Called off', 'The organizer has cancelled the tournament.');
  const end = finalStates[entry.status];
  if (end) return { ...idle(...end), reason: entry.status === 'disqualified' ? entry.statusReason : null };
  if (tournament.status === 'COMPLETED') return idle('It is over', 'Thanks for playing.');

  const start = Date.parse(tournament.startDate);
  const starts: ScheduledMoment | null = now < start ? { at: start, label: 'Starts' } : null;
  if (entry.registrationStatus === 'pending') {
    const detail = 'The organizer looks at every registration. You need do nothing now.';
    return { ...idle('Waiting for approval', detail, 5), next: starts };
  }
  if (entry.registrationStatus === 'waitlisted') {
    const title = entry.waitlistPosition ? `Number ${entry.waitlistPosition} on the waitlist` : 'On the waitlist';
    return { ...idle(title, 'When a slot frees, the first in line gets it, without doing anything.', 4), next: starts };
  }
  if (tournament.status === 'IN_PROGRESS') return idle(`${you} ${are} playing`, 'The tournament is on.', 1);
  if (entry.status === 'checked_in') {
    return { ...idle(`${you} ${are} checked in`, 'Be ready when it starts.', 3), next: starts };
  }
  return approvedState(`${you} ${are} in`, tournament, now, starts);
}

function approvedState(
  title: string,
  tournament: Tournament,
  now: number,
  starts: ScheduledMoment | null,
): StateWithoutQuestions {
  const plain = { reason: null, mustCheckIn: false };
  const window = checkInWindow({
    ...tournament,
    publishedAt: null,
    registrationOpensAt: null,
    registrationClosesAt: null,
  });
  switch (phaseOf(window, now)) {
    case 'before': {
      const next = window.opensAt === null ? null : { at: window.opensAt, label: 'Check-in opens' };
      return { ...plain, title, detail: 'Come back to check in then, or you may lose your slot.', next, urgency: 2 };
    }
    case 'open': {
      const next = { at: window.closesAt, label: 'Check-in closes' };
      const detail = 'Say that you are here, or you may lose your slot.';
      return { ...plain, title: 'Check in now', detail, next, mustCheckIn: true, urgency: 0 };
    }
    case 'after': {
      if (window.opensAt === null) return { ...plain, title, detail: 'It starts any moment.', next: null, urgency: 2 };
      const detail = 'You did not check in. Ask the organizer, who still can do it for you.';
      return { ...plain, title: 'Check-in is closed', detail, next: starts, urgency: 1 };
    }
    case 'unset':
      return { ...plain, title, detail: 'There is nothing more to do before the start.', next: starts, urgency: 3 };
  }
}

/** The most pressing first; what comes sooner before what comes later. */
export function byUrgency(a: RegistrationState, b: RegistrationState): number {
  return a.urgency - b.urgency || (a.next?.at ?? Number.POSITIVE_INFINITY) - (b.next?.at ?? Number.POSITIVE_INFINITY);
}
