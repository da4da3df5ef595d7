import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { holdsSlot, type ParticipantState } from '@/domain/participants/statuses';
import { can } from '@/domain/projects/permissions';
import type { ProjectRole } from '@/generated/prisma/enums';
import {
  allStaffActions,
  decide,
  type Facts,
  possibleActions,
  staffActions,
  type TransitionSubject,
  type Trigger,
  triggers,
} from './rules';

/** Before the start, with free slots and everything enabled; check-in counts as both open and over. */
const facts: Facts = {
  ...{ beforeStart: true, running: false, registrationOpen: true, checkInOpen: true, checkInOver: true, full: false },
  ...{ requiresApproval: false, waitlistEnabled: true, allowCancel: true, allowEdit: true },
  ...{ teams: true, rosterLocked: false, antiCheatMissing: false },
};

const states = {
  none: null,
  pending: { registrationStatus: 'pending', status: 'registered' },
  approved: { registrationStatus: 'approved', status: 'registered' },
  checkedIn: { registrationStatus: 'approved', status: 'checked_in' },
  active: { registrationStatus: 'approved', status: 'active' },
  eliminated: { registrationStatus: 'approved', status: 'eliminated' },
  disqualified: { registrationStatus: 'approved', status: 'disqualified' },
  noShow: { registrationStatus: 'approved', status: 'no_show' },
  waitlisted: { registrationStatus: 'waitlisted', status: 'registered' },
  rejected: { registrationStatus: 'rejected', status: 'registered' },
  cancelled: { registrationStatus: 'cancelled', status: 'withdrew' },
} as const satisfies Record<string, ParticipantState | null>;
type State = keyof typeof states;

/** The result of each trigger in each state: the next state, or an error code. INVALID_STATE where nothing is listed. */
const expected: Record<Trigger, Partial<Record<State, State | string>>> = {
  register: {
    ...{ none: 'approved', cancelled: 'approved', rejected: 'REGISTRATION_REJECTED', pending: 'ALREADY_REGISTERED' },
    ...{ approved: 'ALREADY_REGISTERED', checkedIn: 'ALREADY_REGISTERED', active: 'ALREADY_REGISTERED' },
    ...{ eliminated: 'ALREADY_REGISTERED', disqualified: 'ALREADY_REGISTERED', noShow: 'ALREADY_REGISTERED' },
    waitlisted: 'ALREADY_REGISTERED',
  },
  edit: { pending: 'pending', approved: 'approved', checkedIn: 'checkedIn', waitlisted: 'waitlisted' },
  edit_roster: {
    pending: 'pending',
    approved: 'approved',
    checkedIn: 'checkedIn',
    waitlisted: 'waitlisted',
  },
  cancel: {
    ...{ pending: 'cancelled', approved: 'cancelled', checkedIn: 'cancelled', waitlisted: 'cancelled' },
  },
  check_in_self: {
    ...{ approved: 'checkedIn', checkedIn: 'ALREADY_CHECKED_IN', pending: 'NOT_APPROVED', waitlisted: 'NOT_APPROVED' },
    rejected: 'NOT_APPROVED',
  },
  check_in: {
    ...{ approved: 'checkedIn', checkedIn: 'ALREADY_CHECKED_IN', pending: 'NOT_APPROVED', waitlisted: 'NOT_APPROVED' },
    rejected: 'NOT_APPROVED',
  },
  undo_check_in: { checkedIn: 'approved' },
  approve: { pending: 'approved' },
  reject: { pending: 'rejected' },
  reconsider: { rejected: 'pending' },
  waitlist: {
    ...{
      pending: 'waitlisted',
      approved: 'waitlisted',
      checkedIn: 'waitlisted',
      waitlisted: 'waitlisted',
      noShow: 'waitlisted',
    },
    ...{ rejected: 'waitlisted', cancelled: 'waitlisted', disqualified: 'waitlisted' },
  },
  promote: { waitlisted: 'approved' },
  mark_no_show: { approved: 'noShow', checkedIn: 'ALREADY_CHECKED_IN' },
  disqualify: {
    approved: 'disqualified',
    checkedIn: 'disqualified',
    active: 'disqualified',
    eliminated: 'disqualified',
  },
  withdraw: {},
  reinstate: { disqualified: 'approved', noShow: 'approved' },
  substitute: {
    ...{
      approved: 'approved',
      checkedIn: 'checkedIn',
      active: 'active',
      pending: 'NOT_APPROVED',
      waitlisted: 'NOT_APPROVED',
    },
    ...{ rejected: 'NOT_APPROVED', cancelled: 'NOT_APPROVED' },
  },
  remove: Object.fromEntries(
    Object.keys(states)
      .filter((state) => state !== 'none')
      .map((state) => [state, state]),
  ),
};

const cells = triggers.flatMap((trigger) => (Object.keys(states) as State[]).map((state) => [trigger, state] as const));

test.each(cells)('%s of %s', (trigger, state) => {
  const result = expected[trigger][state] ?? (state === 'none' ? 'NOT_REGISTERED' : 'INVALID_STATE');
  const decision = decide(trigger, states[state], facts);
  if (result in states) {
    expect(decision).toMatchObject({ to: states[result as State] });
  } else {
    expect(decision.denial?.reason).toBe(result);
  }
});

describe('the guards', () => {
  const start = { beforeStart: false, running: true };
  test.each<[Trigger, State, Partial<Facts>, string]>([
    ['approve', 'pending', { full: true }, 'ROSTER_FULL'],
    ['promote', 'waitlisted', { full: true }, 'ROSTER_FULL'],
    ['reinstate', 'disqualified', { full: true }, 'ROSTER_FULL'],
    ['edit', 'approved', { allowEdit: false }, 'EDIT_NOT_ALLOWED'],
    ['edit_roster', 'approved', { rosterLocked: true }, 'ROSTER_LOCKED'],
    ['edit_roster', 'approved', { teams: false }, 'NOT_A_TEAM'],
    ['substitute', 'approved', { teams: false }, 'NOT_A_TEAM'],
    ['cancel', 'approved', { allowCancel: false }, 'CANCEL_NOT_ALLOWED'],
    ['mark_no_show', 'approved', { checkInOver: false }, 'INVALID_STATE'],
    ['remove', 'approved', start, 'INVALID_STATE'],
    ['waitlist', 'approved', start, 'INVALID_STATE'],
    ['reject', 'pending', start, 'INVALID_STATE'],
    ['approve', 'pending', start, 'INVALID_STATE'],
    ['edit', 'approved', start, 'INVALID_STATE'],
    ['reinstate', 'disqualified', start, 'INVALID_STATE'],
    ['disqualify', 'active', { beforeStart: false }, 'INVALID_STATE'],
    ['substitute', 'active', { beforeStart: false }, 'INVALID_STATE'],
  ])('%s of %s under %j', (trigger, state, change, reason) => {
    const decision = decide(trigger, states[state], { ...facts, ...change });
    expect(decision.denial?.reason).toBe(reason);
    if (reason === 'INVALID_STATE') expect(decision.denial?.message).toMatch(/^[A-Z].{20,}\.$/);
  });

  test('allow undoing an approval when the tournament requires approval', () => {
    const approvalRequired = { ...facts, requiresApproval: true };
    for (const state of [states.approved, states.checkedIn]) {
      expect(decide('reconsider', state, approvalRequired)).toEqual({ to: states.pending, slots: -1 });
    }
  });

  test('allow disqualifying, substituting and reinstating in a running tournament', () => {
    const running = { ...facts, ...start };
    const before = { ...states.active, seed: 3, running: true };
    expect(decide('disqualify', states.active, running)).toEqual({ to: states.disqualified, slots: -1 });
    expect(decide('reinstate', { ...states.disqualified, before }, running)).toEqual({ to: states.active, slots: 1 });
    expect(decide('withdraw', states.active, running)).toMatchObject({ to: { status: 'withdrew' }, slots: -1 });
    expect(decide('substitute', states.active, { ...running, rosterLocked: true }).denial).toBeUndefined();
  });
});

type Flag = Exclude<keyof Facts, 'checkInEnd'>;
const anyFacts: fc.Arbitrary<Facts> = fc.record(
  Object.fromEntries(Object.keys(facts).map((name) => [name, fc.boolean()])) as Record<Flag, fc.Arbitrary<boolean>>,
);

test('every action that has an opposite is undone by it', () => {
  const pairs: [Trigger, Trigger][] = [
    ['check_in', 'undo_check_in'],
    ['reject', 'reconsider'],
    ['disqualify', 'reinstate'],
    ['mark_no_show', 'reinstate'],
  ];
  fc.assert(
    fc.property(fc.constantFrom(...pairs), fc.constantFrom(...Object.values(states)), ([action, opposite], state) => {
      const applied = decide(action, state, facts);
      if (applied.denial || !state) return;
      const before = { ...state, seed: null, running: false };
      const undone = decide(opposite, { ...applied.to, before }, facts);
      expect(undone).toMatchObject({ to: state, slots: -applied.slots || 0 });
    }),
  );
});

test('any sequence of triggers counts slots correctly and never takes one too many', () => {
  const step = fc.record({ trigger: fc.constantFrom(...triggers), who: fc.nat(5), given: anyFacts });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), fc.integer({ min: 1, max: 4 }), (steps, cap) => {
      const participants: (TransitionSubject | null)[] = Array(6).fill(null);
      let taken = 0;
      for (const { trigger, who, given } of steps) {
        const participant = participants[who] ?? null;
        const decision = decide(trigger, participant, { ...given, full: taken >= cap });
        if (decision.denial) continue;
        taken += decision.slots;
        const restorable = trigger === 'disqualify' || trigger === 'mark_no_show';
        const before = restorable && participant ? { ...participant, seed: null, running: given.running } : null;
        participants[who] = trigger === 'remove' ? null : { ...decision.to, before };
        expect(taken).toBe(participants.filter((one) => one && holdsSlot(one)).length);
        expect(taken).toBeLessThanOrEqual(cap);
      }
    }),
  );
});

test('the possible actions are those that the table and the role allow', () => {
  const roles = fc.constantFrom<ProjectRole | null>(null, 'MEMBER', 'MODERATOR', 'ORGANIZER', 'ADMIN', 'OWNER');
  const subjects = fc.constantFrom(...Object.values(states).filter((state) => state !== null));
  fc.assert(
    fc.property(roles, subjects, anyFacts, (role, subject, given) => {
      const actions = possibleActions(role, subject, given);
      for (const action of allStaffActions) {
        const possible = !decide(action, subject, given).denial;
        expect(actions.includes(action)).toBe(possible && can(role, staffActions[action]));
      }
    }),
  );
});
