import { owesCheckIn } from '@/domain/participants/check-in';
import {
  holdsSlot,
  type ParticipantState,
  type ParticipantStatus,
  type RegistrationStatus,
} from '@/domain/participants/statuses';
import { can, type Permission } from '@/domain/projects/permissions';
import type { Reason } from '@/server/errors';

/** The state from before a disqualification or no-show, which reinstating restores. */
export type RestorableState = ParticipantState & {
  seed: number | null;
  /** Whether the tournament was running. A participant who was out at the start has no place in the bracket. */
  running: boolean;
};

/** What the table needs to know about a participant. */
export type TransitionSubject = ParticipantState & {
  before?: RestorableState | null;
  type?: 'individual' | 'team';
  registeredAt?: Date;
  approvedAt?: Date | null;
};

/** What the table needs to know about the tournament and the caller. */
export type Facts = {
  /** The tournament has not started. */
  beforeStart: boolean;
  /** It has started and is not over. */
  running: boolean;
  /** The last match is decided. */
  completed?: boolean;
  registrationOpen: boolean;
  checkInOpen: boolean;
  /** The window for checking in has passed. */
  checkInOver: boolean;
  /** From `checkInEnd`. */
  checkInEnd?: number | null;
  /** Every slot is taken. */
  full: boolean;
  requiresApproval: boolean;
  waitlistEnabled: boolean;
  allowCancel: boolean;
  allowEdit: boolean;
  /** Participants are teams. */
  teams: boolean;
  rosterLocked: boolean;
  /** A team that cancelled registers again with other players than it had. */
  otherPlayers?: boolean;
  /** An anti-cheat client is required, and the player's is not running. */
  antiCheatMissing: boolean;
};

/** Why a trigger is not possible. */
export type Denial = { reason: Reason; message?: string };

type Transition = {
  /** The registration statuses it is possible from, and why not from the others. `none`: not registered. */
  from: Record<RegistrationStatus | 'none', true | Denial>;
  /** The participant statuses it is possible from, where that matters. */
  only?: { statuses: readonly ParticipantStatus[]; otherwise: (status: ParticipantStatus) => Denial };
  /** Further conditions, in order; the first denial wins. */
  guards: readonly ((facts: Facts, subject: TransitionSubject | null) => Denial | null)[];
  to: (facts: Facts, subject: TransitionSubject | null) => ParticipantState;
  /** The participant is deleted. */
  removes?: true;
};

const deny = (reason: Reason, message?: string): Denial => ({ reason, message });
const invalid = (message: string) => deny('INVALID_STATE', message);
const requires =
  (holds: (facts: Facts) => boolean, reason: Reason, message?: string) =>
  (facts: Facts): Denial | null =>
    holds(facts) ? null : deny(reason, message);

const approved: ParticipantState = { registrationStatus: 'approved', status: 'registered' };
const pending: ParticipantState = { registrationStatus: 'pending', status: 'registered' };
const waitlisted: ParticipantState = { registrationStatus: 'waitlisted', status: 'registered' };
const unchanged = (_facts: Facts, subject: TransitionSubject | null): ParticipantState => subject ?? approved;

const notRegistered = deny('NOT_REGISTERED');
const isCancelled = invalid('This registration was cancelled.');
const isRejected = invalid('The organizer has rejected this registration.');
const notApproved = invalid('This registration is not approved. Reject or remove it instead.');
const alreadyApproved = invalid('This participant is already approved.');

const beforeStart = requires(
  (facts) => facts.beforeStart,
  'INVALID_STATE',
  'The tournament has started or is over, so participants can no longer change.',
);
const notOver = requires((facts) => facts.beforeStart || facts.running, 'INVALID_STATE', 'The tournament is over.');
const hasBeenPublished = requires(
  (facts) => facts.beforeStart || facts.running || facts.completed === true,
  'INVALID_STATE',
  'The tournament is over.',
);
const hasSlot = requires((facts) => !facts.full, 'ROSTER_FULL');

const wrongStatus = (status: ParticipantStatus): Denial =>
  invalid(
    status === 'disqualified'
      ? 'This participant is disqualified. Reinstate them first.'
      : `This is not possible for a participant with status ${status}.`,
  );
const stillPlaying = { statuses: ['registered', 'checked_in', 'active'] as const, otherwise: wrongStatus };
const notPlayingYet = { statuses: ['registered', 'checked_in'] as const, otherwise: wrongStatus };

const selfOnly = invalid(
  'The tournament has started or is over, so you can no longer cancel. Ask the organizer to remove you.',
);
const playersStay = 'Rosters are locked. Register your team with the players that it had when you cancelled.';
const couldNotCheckIn = invalid('This participant was waiting for a slot until check-in had closed.');
const notEditable = invalid('A registration can be edited until the tournament starts, unless it was rejected.');

/** Only approved participants. */
const approvedOnly = (message: Denial): Transition['from'] => ({
  none: notRegistered,
  approved: true,
  pending: message,
  waitlisted: message,
  rejected: message,
  cancelled: message,
});

const checkIn: Omit<Transition, 'guards'> = {
  from: { ...approvedOnly(deny('NOT_APPROVED')), cancelled: isCancelled },
  only: {
    statuses: ['registered'],
    otherwise: (status) =>
      status === 'checked_in' ? deny('ALREADY_CHECKED_IN') : invalid('Check-in ends when the tournament starts.'),
  },
  to: () => ({ registrationStatus: 'approved', status: 'checked_in' }),
};

const edit: Transition = {
  from: {
    none: notRegistered,
    cancelled: isCancelled,
    rejected: notEditable,
    approved: true,
    pending: true,
    waitlisted: true,
  },
  only: { statuses: notPlayingYet.statuses, otherwise: () => notEditable },
  guards: [
    requires((facts) => facts.allowEdit, 'EDIT_NOT_ALLOWED'),
    (facts) => (facts.beforeStart ? null : notEditable),
  ],
  to: unchanged,
};

/** Every trigger: when it is possible, and the state it leads to. This is the only place that decides it. */
const transitions = {
  register: {
    from: {
      none: true,
      cancelled: true,
      approved: deny('ALREADY_REGISTERED'),
      pending: deny('ALREADY_REGISTERED'),
      waitlisted: deny('ALREADY_REGISTERED'),
      rejected: deny('REGISTRATION_REJECTED'),
    },
    guards: [
      requires((facts) => facts.registrationOpen, 'REGISTRATION_CLOSED'),
      requires((facts) => !facts.full || facts.waitlistEnabled, 'TOURNAMENT_FULL'),
      requires((facts) => !facts.rosterLocked || !facts.otherPlayers, 'ROSTER_LOCKED', playersStay),
    ],
    to: (facts) => {
      if (facts.full) return waitlisted;
      return facts.requiresApproval ? pending : approved;
    },
  },
  edit,
  edit_roster: {
    ...edit,
    guards: [
      ...edit.guards,
      requires((facts) => facts.teams, 'NOT_A_TEAM'),
      requires((facts) => !facts.rosterLocked, 'ROSTER_LOCKED'),
    ],
  },
  cancel: {
    from: {
      none: notRegistered,
      cancelled: isCancelled,
      rejected: isRejected,
      approved: true,
      pending: true,
      waitlisted: true,
    },
    only: { statuses: notPlayingYet.statuses, otherwise: () => selfOnly },
    guards: [
      requires((facts) => facts.allowCancel, 'CANCEL_NOT_ALLOWED'),
      (facts) => (facts.beforeStart ? null : selfOnly),
    ],
    to: () => ({ registrationStatus: 'cancelled', status: 'withdrew' }),
  },
  check_in_self: {
    ...checkIn,
    guards: [
      requires((facts) => facts.checkInOpen, 'CHECK_IN_CLOSED'),
      requires((facts) => !facts.antiCheatMissing, 'ANTI_CHEAT_NOT_RUNNING'),
    ],
  },
  check_in: { ...checkIn, guards: [beforeStart] },
  undo_check_in: {
    from: approvedOnly(invalid('This participant is not checked in.')),
    only: { statuses: ['checked_in'], otherwise: () => invalid('This participant is not checked in.') },
    guards: [beforeStart],
    to: () => approved,
  },
  approve: {
    from: {
      none: notRegistered,
      pending: true,
      approved: alreadyApproved,
      waitlisted: invalid('This participant is on the waitlist. Promote them instead.'),
      rejected: invalid('This registration was rejected. Undo the rejection first.'),
      cancelled: isCancelled,
    },
    guards: [beforeStart, hasSlot],
    to: () => approved,
  },
  reject: {
    from: {
      none: notRegistered,
      pending: true,
      approved: invalid('This participant is already approved. Disqualify or remove them instead.'),
      waitlisted: invalid('This participant is on the waitlist. Remove them instead.'),
      rejected: invalid('This registration is already rejected.'),
      cancelled: isCancelled,
    },
    guards: [beforeStart],
    to: () => ({ registrationStatus: 'rejected', status: 'registered' }),
  },
  reconsider: {
    from: {
      none: notRegistered,
      approved: true,
      rejected: true,
      pending: invalid('This registration is already pending.'),
      waitlisted: invalid('This participant is on the waitlist; there is no decision to undo.'),
      cancelled: isCancelled,
    },
    only: notPlayingYet,
    guards: [
      beforeStart,
      ({ requiresApproval }, subject) =>
        subject?.registrationStatus === 'approved' && !requiresApproval
          ? invalid('This tournament does not require approval, so there is no decision to undo.')
          : null,
    ],
    to: () => pending,
  },
  waitlist: {
    from: { none: notRegistered, approved: true, pending: true, waitlisted: true, rejected: true, cancelled: true },
    only: { statuses: ['registered', 'checked_in', 'withdrew', 'no_show', 'disqualified'], otherwise: wrongStatus },
    guards: [
      beforeStart,
      (_facts, subject) =>
        subject?.registrationStatus === 'cancelled' && subject.type === 'team'
          ? invalid('This team cancelled, which cleared its roster. Its captain has to register it again.')
          : null,
    ],
    to: () => waitlisted,
  },
  promote: {
    from: {
      none: notRegistered,
      waitlisted: true,
      approved: alreadyApproved,
      pending: invalid('This registration is pending. Approve it instead.'),
      rejected: invalid('This registration was rejected. Put it on the waitlist first.'),
      cancelled: isCancelled,
    },
    guards: [beforeStart, hasSlot],
    to: () => approved,
  },
  mark_no_show: {
    from: approvedOnly(notApproved),
    only: {
      statuses: ['registered'],
      otherwise: (status) => (status === 'checked_in' ? deny('ALREADY_CHECKED_IN') : wrongStatus(status)),
    },
    guards: [
      beforeStart,
      requires((facts) => facts.checkInOver, 'INVALID_STATE', 'Check-in has not closed yet. Close it first.'),
      ({ checkInEnd = null }, subject) => (owesCheckIn(subject ?? {}, checkInEnd) ? null : couldNotCheckIn),
    ],
    to: () => ({ registrationStatus: 'approved', status: 'no_show' }),
  },
  disqualify: {
    from: approvedOnly(notApproved),
    only: {
      statuses: [...stillPlaying.statuses, 'eliminated'],
      otherwise: (status) =>
        status === 'disqualified' ? invalid('This participant is already disqualified.') : wrongStatus(status),
    },
    guards: [hasBeenPublished],
    to: () => ({ registrationStatus: 'approved', status: 'disqualified' }),
  },
  reinstate: {
    from: approvedOnly(invalid('This participant is not disqualified.')),
    only: { statuses: ['disqualified', 'no_show'], otherwise: () => invalid('This participant is not disqualified.') },
    guards: [
      hasBeenPublished,
      (facts, subject) =>
        facts.running && !subject?.before?.running
          ? invalid('The tournament started without this participant, so they cannot be reinstated.')
          : null,
      hasSlot,
    ],
    to: (_facts, subject) => subject?.before ?? approved,
  },
  withdraw: {
    from: approvedOnly(notApproved),
    only: { statuses: ['active'], otherwise: wrongStatus },
    guards: [
      ({ running }) => (running ? null : invalid('Only participants of a running tournament can be withdrawn.')),
    ],
    to: () => ({ registrationStatus: 'approved', status: 'withdrew' }),
  },
  substitute: {
    from: approvedOnly(deny('NOT_APPROVED', 'Only an approved team can substitute a player.')),
    only: stillPlaying,
    guards: [requires((facts) => facts.teams, 'NOT_A_TEAM'), notOver],
    to: unchanged,
  },
  remove: {
    from: { none: notRegistered, approved: true, pending: true, waitlisted: true, rejected: true, cancelled: true },
    guards: [
      requires(
        (facts) => facts.beforeStart,
        'INVALID_STATE',
        'The tournament has started or is over. Disqualify the participant instead.',
      ),
    ],
    to: unchanged,
    removes: true,
  },
} as const satisfies Record<string, Transition>;

export type Trigger = keyof typeof transitions;
export const triggers = Object.keys(transitions) as Trigger[];

/** The triggers that staff may use, and the permission each needs. The others belong to the participants themselves. */
export const staffActions = {
  approve: 'participants:write',
  reject: 'participants:write',
  reconsider: 'participants:write',
  waitlist: 'participants:write',
  promote: 'participants:write',
  check_in: 'participants:write',
  undo_check_in: 'participants:write',
  mark_no_show: 'participants:write',
  disqualify: 'participants:moderate',
  reinstate: 'participants:moderate',
  substitute: 'participants:moderate',
  remove: 'participants:moderate',
} as const satisfies Partial<Record<Trigger, Permission>>;
export type StaffAction = keyof typeof staffActions;
export const allStaffActions = Object.keys(staffActions) as [StaffAction, ...StaffAction[]];

export type Decision =
  | { denial: Denial }
  | {
      denial?: undefined;
      to: ParticipantState;
      /** By how much the number of taken slots changes. */
      slots: -1 | 0 | 1;
    };

/** What a trigger does to a participant, or why it is denied. */
export function decide(trigger: Trigger, subject: TransitionSubject | null, facts: Facts): Decision {
  const transition: Transition = transitions[trigger];
  const possible = transition.from[subject?.registrationStatus ?? 'none'];
  if (possible !== true) return { denial: possible };
  if (transition.only && subject && !transition.only.statuses.includes(subject.status)) {
    return { denial: transition.only.otherwise(subject.status) };
  }
  for (const guard of transition.guards) {
    const denial = guard(facts, subject);
    if (denial) return { denial };
  }
  const { registrationStatus, status } = transition.to(facts, subject);
  const to = { registrationStatus, status };
  const keepsSlot = !transition.removes && holdsSlot(to);
  return { to, slots: (Number(keepsSlot) - Number(holdsSlot(subject))) as -1 | 0 | 1 };
}

/** What someone with this role may do to a participant now. */
export function possibleActions(
  role: Parameters<typeof can>[0],
  subject: TransitionSubject,
  facts: Facts,
): StaffAction[] {
  return allStaffActions.filter((action) => can(role, staffActions[action]) && !decide(action, subject, facts).denial);
}
