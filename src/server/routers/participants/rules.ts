import { holdsSlot, type ParticipantState } from '@/domain/participants/statuses';
import { can, type Permission } from '@/domain/projects/permissions';
import type { ParticipantStatus, RegistrationStatus } from '@/generated/prisma/enums';
import type { Reason } from '@/server/errors';

/** What taking an entrant out keeps, so that reinstating brings it back. */
export type RestorableState = ParticipantState & {
  seed: number | null;
  /** Whether the tournament was running: who was taken out before the start has no place in what runs. */
  running: boolean;
};

/** An entrant as the table looks at one. */
export type TransitionSubject = ParticipantState & { before?: RestorableState | null; type?: 'individual' | 'team' };

/** What a trigger looks at beside the entrant. Each names its own needs. */
export type Facts = {
  /** The tournament is published and has not started. */
  beforeStart: boolean;
  /** It has started and is not over. */
  running: boolean;
  registrationOpen: boolean;
  checkInOpen: boolean;
  /** The window for checking in has passed. */
  checkInOver: boolean;
  /** Every slot is taken. */
  full: boolean;
  requiresApproval: boolean;
  waitlistEnabled: boolean;
  allowCancel: boolean;
  allowEdit: boolean;
  /** Entrants are teams. */
  teams: boolean;
  rosterLocked: boolean;
  /** An anti-cheat client is required and none is running for the player. */
  antiCheatMissing: boolean;
};

type Denial = { reason: Reason; message?: string };
type From = RegistrationStatus | 'none';
type Transition = {
  /** Where it is possible from; elsewhere why it is not. */
  from: Record<From, true | Denial>;
  /** Which `status` an entrant must have, where that matters, and why each other one will not do. */
  only?: { statuses: readonly ParticipantStatus[]; otherwise: (status: ParticipantStatus) => Denial };
  /** Asked in order; the first refusal wins. */
  guards: readonly ((facts: Facts, entrant: TransitionSubject | null) => Denial | null)[];
  to: (facts: Facts, entrant: TransitionSubject | null) => ParticipantState;
  /** The row goes. */
  gone?: true;
};

const deny = (reason: Reason, message?: string): Denial => ({ reason, message });
const invalid = (message: string) => deny('INVALID_STATE', message);
const unless =
  (holds: (facts: Facts) => boolean, reason: Reason, message?: string) =>
  (facts: Facts): Denial | null =>
    holds(facts) ? null : deny(reason, message);

const approved: ParticipantState = { registrationStatus: 'approved', status: 'registered' };
const pending: ParticipantState = { registrationStatus: 'pending', status: 'registered' };
const waitlisted: ParticipantState = { registrationStatus: 'waitlisted', status: 'registered' };
const unchanged = (_facts: Facts, entrant: TransitionSubject | null): ParticipantState => entrant ?? approved;

const nobody = deny('NOT_REGISTERED');
const hasCancelled = invalid('This registration was cancelled.');
const wasRejected = invalid('The organizer has rejected this registration.');
const notIn = invalid('Only an entrant who is in can be taken out so. Reject or remove this registration instead.');
const alreadyIn = invalid('This entrant is already in.');

const beforeStart = unless(
  (facts) => facts.beforeStart,
  'INVALID_STATE',
  'The tournament has started or is over, so entrants stay as they are.',
);
const notOver = unless((facts) => facts.beforeStart || facts.running, 'INVALID_STATE', 'The tournament is over.');
const hasSlot = unless((facts) => !facts.full, 'ROSTER_FULL');

const takenOut = (status: ParticipantStatus): Denial =>
  invalid(
    status === 'disqualified'
      ? 'This entrant is disqualified. Reinstate them first.'
      : `This is not possible for an entrant whose status is ${status}.`,
  );
const playing = { statuses: ['registered', 'checked_in', 'active'] as const, otherwise: takenOut };
const waiting = { statuses: ['registered', 'checked_in'] as const, otherwise: takenOut };

const selfOnly = invalid('The tournament has started or is over. Only its organizer can take you out now.');
const notEditable = invalid('A registration can be edited until the tournament starts, while it is not rejected.');

const checkIn: Omit<Transition, 'guards'> = {
  from: {
    none: nobody,
    approved: true,
    pending: deny('NOT_APPROVED'),
    waitlisted: deny('NOT_APPROVED'),
    rejected: deny('NOT_APPROVED'),
    cancelled: hasCancelled,
  },
  only: {
    statuses: ['registered'],
    otherwise: (status) =>
      status === 'checked_in' ? deny('ALREADY_CHECKED_IN') : invalid('Entrants check in before the tournament starts.'),
  },
  to: () => ({ registrationStatus: 'approved', status: 'checked_in' }),
};

const edit: Transition = {
  from: {
    none: nobody,
    cancelled: hasCancelled,
    rejected: notEditable,
    approved: true,
    pending: true,
    waitlisted: true,
  },
  only: { statuses: waiting.statuses, otherwise: () => notEditable },
  guards: [unless((facts) => facts.allowEdit, 'EDIT_NOT_ALLOWED'), (facts) => (facts.beforeStart ? null : notEditable)],
  to: unchanged,
};

/** Only approved entrants. */
const inOnly = (message: Denial): Transition['from'] => ({
  none: nobody,
  approved: true,
  pending: message,
  waitlisted: message,
  rejected: message,
  cancelled: message,
});

/** Every trigger: from where it is possible, what it needs, where it leads. The one table of an entrant's states. */
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
      unless((facts) => facts.registrationOpen, 'REGISTRATION_CLOSED'),
      unless((facts) => !facts.full || facts.waitlistEnabled, 'TOURNAMENT_FULL'),
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
      unless((facts) => facts.teams, 'NOT_A_TEAM'),
      unless((facts) => !facts.rosterLocked, 'ROSTER_LOCKED'),
    ],
  },
  cancel: {
    from: {
      none: nobody,
      cancelled: hasCancelled,
      rejected: wasRejected,
      approved: true,
      pending: true,
      waitlisted: true,
    },
    only: { statuses: waiting.statuses, otherwise: () => selfOnly },
    guards: [
      unless((facts) => facts.allowCancel, 'CANCEL_NOT_ALLOWED'),
      (facts) => (facts.beforeStart ? null : selfOnly),
    ],
    to: () => ({ registrationStatus: 'cancelled', status: 'withdrew' }),
  },
  check_in_self: {
    ...checkIn,
    guards: [
      unless((facts) => facts.checkInOpen, 'CHECK_IN_CLOSED'),
      unless((facts) => !facts.antiCheatMissing, 'ANTI_CHEAT_NOT_RUNNING'),
    ],
  },
  check_in: { ...checkIn, guards: [beforeStart] },
  undo_check_in: {
    from: inOnly(invalid('This entrant is not checked in.')),
    only: { statuses: ['checked_in'], otherwise: () => invalid('This entrant is not checked in.') },
    guards: [beforeStart],
    to: () => approved,
  },
  approve: {
    from: {
      none: nobody,
      pending: true,
      approved: alreadyIn,
      waitlisted: invalid('This entrant is on the waitlist. Promote them instead.'),
      rejected: invalid('This registration was rejected. Take that back first.'),
      cancelled: hasCancelled,
    },
    guards: [beforeStart, hasSlot],
    to: () => approved,
  },
  reject: {
    from: {
      none: nobody,
      pending: true,
      approved: invalid('This entrant is in. Disqualify or remove them instead.'),
      waitlisted: invalid('This entrant is on the waitlist. Remove them instead.'),
      rejected: invalid('This registration is rejected already.'),
      cancelled: hasCancelled,
    },
    guards: [beforeStart],
    to: () => ({ registrationStatus: 'rejected', status: 'registered' }),
  },
  reconsider: {
    from: {
      none: nobody,
      approved: true,
      rejected: true,
      pending: invalid('This registration is pending already.'),
      waitlisted: invalid('This entrant is on the waitlist, with nothing decided to take back.'),
      cancelled: hasCancelled,
    },
    only: waiting,
    guards: [
      beforeStart,
      ({ requiresApproval }, entrant) =>
        entrant?.registrationStatus === 'approved' && !requiresApproval
          ? invalid('This tournament asks for no approval, so there is none to take back.')
          : null,
    ],
    to: () => pending,
  },
  waitlist: {
    from: { none: nobody, approved: true, pending: true, waitlisted: true, rejected: true, cancelled: true },
    only: { statuses: ['registered', 'checked_in', 'withdrew', 'no_show', 'disqualified'], otherwise: takenOut },
    guards: [
      beforeStart,
      (_facts, entrant) =>
        entrant?.registrationStatus === 'cancelled' && entrant.type === 'team'
          ? invalid('This team cancelled and gave up its roster. Its captain has to register it again.')
          : null,
    ],
    to: () => waitlisted,
  },
  promote: {
    from: {
      none: nobody,
      waitlisted: true,
      approved: alreadyIn,
      pending: invalid('This registration waits for a decision. Approve it instead.'),
      rejected: invalid('This registration was rejected. Put it on the waitlist first.'),
      cancelled: hasCancelled,
    },
    guards: [beforeStart, hasSlot],
    to: () => approved,
  },
  mark_no_show: {
    from: inOnly(notIn),
    only: {
      statuses: ['registered'],
      otherwise: (status) => (status === 'checked_in' ? deny('ALREADY_CHECKED_IN') : takenOut(status)),
    },
    guards: [
      beforeStart,
      unless((facts) => facts.checkInOver, 'INVALID_STATE', 'Check-in has not closed yet. Close it first.'),
    ],
    to: () => ({ registrationStatus: 'approved', status: 'no_show' }),
  },
  disqualify: {
    from: inOnly(notIn),
    only: {
      ...playing,
      otherwise: (status) =>
        status === 'disqualified' ? invalid('This entrant is disqualified already.') : takenOut(status),
    },
    guards: [notOver],
    to: () => ({ registrationStatus: 'approved', status: 'disqualified' }),
  },
  reinstate: {
    from: inOnly(invalid('This entrant is not disqualified.')),
    only: {
      statuses: ['disqualified', 'no_show'],
      otherwise: () => invalid('This entrant is not disqualified.'),
    },
    guards: [
      notOver,
      (facts, entrant) =>
        facts.running && !entrant?.before?.running
          ? invalid('The tournament has started without this entrant, so there is no place to come back to.')
          : null,
      hasSlot,
    ],
    to: (_facts, entrant) => entrant?.before ?? approved,
  },
  substitute: {
    from: inOnly(deny('NOT_APPROVED', 'Only a team that is in can substitute a player.')),
    only: playing,
    guards: [unless((facts) => facts.teams, 'NOT_A_TEAM'), notOver],
    to: unchanged,
  },
  remove: {
    from: { none: nobody, approved: true, pending: true, waitlisted: true, rejected: true, cancelled: true },
    guards: [
      unless(
        (facts) => facts.beforeStart,
        'INVALID_STATE',
        'The tournament has started or is over. Disqualify the entrant instead.',
      ),
    ],
    to: unchanged,
    gone: true,
  },
} as const satisfies Record<string, Transition>;

export type Trigger = keyof typeof transitions;
export const triggers = Object.keys(transitions) as Trigger[];

/** What staff may do to an entrant, and what they need for it. Others' triggers are the entrant's own. */
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
  | { refused: Reason; message?: string }
  | { refused?: undefined; to: ParticipantState; slots: -1 | 0 | 1 };

/** What a trigger does to an entrant: the new standing and by how much the slots taken change, or why not. */
export function decide(trigger: Trigger, entrant: TransitionSubject | null, facts: Facts): Decision {
  const line: Transition = transitions[trigger];
  const refused = ({ reason, message }: Denial): Decision => ({ refused: reason, message });
  const possible = line.from[entrant?.registrationStatus ?? 'none'];
  if (possible !== true) return refused(possible);
  if (line.only && entrant && !line.only.statuses.includes(entrant.status)) {
    return refused(line.only.otherwise(entrant.status));
  }
  for (const guard of line.guards) {
    const reason = guard(facts, entrant);
    if (reason) return refused(reason);
  }
  const { registrationStatus, status } = line.to(facts, entrant);
  const to = { registrationStatus, status };
  const holds = !line.gone && holdsSlot(to);
  return { to, slots: (Number(holds) - Number(holdsSlot(entrant))) as -1 | 0 | 1 };
}

/** What someone with this role may do to an entrant now. */
export function possibleActions(
  role: Parameters<typeof can>[0],
  entrant: TransitionSubject,
  facts: Facts,
): StaffAction[] {
  return allStaffActions.filter(
    (action) => can(role, staffActions[action]) && decide(action, entrant, facts).refused === undefined,
  );
}
