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

/** Before the start, with room, everything switched on, and check-in neither before nor after us. */
const facts: Facts = {
  ...{ beforeStart: true, running: false, registrationOpen: true, checkInOpen: true, checkInOver: true, full: false },
  ...{ requiresApproval: false, waitlistEnabled: true, allowCancel: true, allowEdit: true },
  ...{ teams: true, rosterLocked: false, antiCheatMissing: false },
};

const states = {
  nobody: null,
  pending: { registrationStatus: 'pending', status: 'registered' },
  in: { registrationStatus: 'approved', status: 'registered' },
  checkedIn: { registrationStatus: 'approved', status: 'checked_in' },
  active: { registrationStatus: 'approved', status: 'active' },
  eliminated: { registrationStatus: 'approved', status: 'eliminated' },
  disqualified: { registrationStatus: 'approved', status: 'disqualified' },
  absent: { registrationStatus: 'approved', status: 'no_show' },
  waiting: { registrationStatus: 'waitlisted', status: 'registered' },
  rejected: { registrationStatus: 'rejected', status: 'registered' },
  cancelled: { registrationStatus: 'cancelled', status: 'withdrew' },
} as const satisfies Record<string, ParticipantState | null>;
type State = keyof typeof states;

/** What each trigger makes of each state: another, or the reason it is refused with. What is not named: INVALID_STATE. */
const expected: Record<Trigger, Partial<Record<State, State | string>>> = {
  register: {
    ...{ nobody: 'in', cancelled: 'in', rejected: 'REGISTRATION_REJECTED', pending: 'ALREADY_REGISTERED' },
    ...{ in: 'ALREADY_REGISTERED', checkedIn: 'ALREADY_REGISTERED', active: 'ALREADY_REGISTERED' },
    ...{ eliminated: 'ALREADY_REGISTERED', disqualified: 'ALREADY_REGISTERED', absent: 'ALREADY_REGISTERED' },
    waiting: 'ALREADY_REGISTERED',
  },
  edit: { pending: 'pending', in: 'in', checkedIn: 'checkedIn', waiting: 'waiting' },
  edit_roster: {
    pending: 'pending',
    in: 'in',
    checkedIn: 'checkedIn',
    waiting: 'waiting',
  },
  cancel: {
    ...{ pending: 'cancelled', in: 'cancelled', checkedIn: 'cancelled', waiting: 'cancelled' },
  },
  check_in_self: {
    ...{ in: 'checkedIn', checkedIn: 'ALREADY_CHECKED_IN', pending: 'NOT_APPROVED', waiting: 'NOT_APPROVED' },
    rejected: 'NOT_APPROVED',
  },
  check_in: {
    ...{ in: 'checkedIn', checkedIn: 'ALREADY_CHECKED_IN', pending: 'NOT_APPROVED', waiting: 'NOT_APPROVED' },
    rejected: 'NOT_APPROVED',
  },
  undo_check_in: { checkedIn: 'in' },
  approve: { pending: 'in' },
  reject: { pending: 'rejected' },
  reconsider: { rejected: 'pending' },
  waitlist: {
    ...{ pending: 'waiting', in: 'waiting', checkedIn: 'waiting', waiting: 'waiting', absent: 'waiting' },
    ...{ rejected: 'waiting', cancelled: 'waiting', disqualified: 'waiting' },
  },
  promote: { waiting: 'in' },
  mark_no_show: { in: 'absent', checkedIn: 'ALREADY_CHECKED_IN' },
  disqualify: { in: 'disqualified', checkedIn: 'disqualified', active: 'disqualified' },
  reinstate: { disqualified: 'in', absent: 'in' },
  substitute: {
    ...{ in: 'in', checkedIn: 'checkedIn', active: 'active', pending: 'NOT_APPROVED', waiting: 'NOT_APPROVED' },
    ...{ rejected: 'NOT_APPROVED', cancelled: 'NOT_APPROVED' },
  },
  remove: Object.fromEntries(
    Object.keys(states)
      .filter((state) => state !== 'nobody')
      .map((state) => [state, state]),
  ),
};

const cells = triggers.flatMap((trigger) => (Object.keys(states) as State[]).map((state) => [trigger, state] as const));

test.each(cells)('%s of %s', (trigger, state) => {
  const wanted = expected[trigger][state] ?? (state === 'nobody' ? 'NOT_REGISTERED' : 'INVALID_STATE');
  const decision = decide(trigger, states[state], facts);
  if (wanted in states) {
    expect(decision).toMatchObject({ to: states[wanted as State] });
  } else {
    expect(decision.denial?.reason).toBe(wanted);
  }
});

describe('what stands in the way', () => {
  const start = { beforeStart: false, running: true };
  test.each<[Trigger, State, Partial<Facts>, string]>([
    ['approve', 'pending', { full: true }, 'ROSTER_FULL'],
    ['promote', 'waiting', { full: true }, 'ROSTER_FULL'],
    ['reinstate', 'disqualified', { full: true }, 'ROSTER_FULL'],
    ['edit', 'in', { allowEdit: false }, 'EDIT_NOT_ALLOWED'],
    ['edit_roster', 'in', { rosterLocked: true }, 'ROSTER_LOCKED'],
    ['edit_roster', 'in', { teams: false }, 'NOT_A_TEAM'],
    ['substitute', 'in', { teams: false }, 'NOT_A_TEAM'],
    ['cancel', 'in', { allowCancel: false }, 'CANCEL_NOT_ALLOWED'],
    ['mark_no_show', 'in', { checkInOver: false }, 'INVALID_STATE'],
    ['remove', 'in', start, 'INVALID_STATE'],
    ['waitlist', 'in', start, 'INVALID_STATE'],
    ['reject', 'pending', start, 'INVALID_STATE'],
    ['approve', 'pending', start, 'INVALID_STATE'],
    ['edit', 'in', start, 'INVALID_STATE'],
    ['reinstate', 'disqualified', start, 'INVALID_STATE'],
    ['disqualify', 'active', { beforeStart: false }, 'INVALID_STATE'],
    ['substitute', 'active', { beforeStart: false }, 'INVALID_STATE'],
  ])('%s of %s under %j', (trigger, state, change, reason) => {
    const decision = decide(trigger, states[state], { ...facts, ...change });
    expect(decision.denial?.reason).toBe(reason);
    if (reason === 'INVALID_STATE') expect(decision.denial?.message).toMatch(/^[A-Z].{20,}\.$/);
  });

  test('takes an approval back where approval is asked for', () => {
    const asked = { ...facts, requiresApproval: true };
    for (const standing of [states.in, states.checkedIn]) {
      expect(decide('reconsider', standing, asked)).toEqual({ to: states.pending, slots: -1 });
    }
  });

  test('does not stand in the way of disqualifying, substituting and reinstating in a running tournament', () => {
    const running = { ...facts, ...start };
    const before = { ...states.active, seed: 3, running: true };
    expect(decide('disqualify', states.active, running)).toEqual({ to: states.disqualified, slots: -1 });
    expect(decide('reinstate', { ...states.disqualified, before }, running)).toEqual({ to: states.active, slots: 1 });
    expect(decide('substitute', states.active, { ...running, rosterLocked: true }).denial).toBeUndefined();
  });
});

const anyFacts: fc.Arbitrary<Facts> = fc.record(
  Object.fromEntries(Object.keys(facts).map((name) => [name, fc.boolean()])) as Record<
    keyof Facts,
    fc.Arbitrary<boolean>
  >,
);

test('the table and the way back: what takes someone out is undone by its counterpart', () => {
  const ways: [Trigger, Trigger][] = [
    ['check_in', 'undo_check_in'],
    ['reject', 'reconsider'],
    ['disqualify', 'reinstate'],
    ['mark_no_show', 'reinstate'],
  ];
  fc.assert(
    fc.property(fc.constantFrom(...ways), fc.constantFrom(...Object.values(states)), ([out, back], standing) => {
      const gone = decide(out, standing, facts);
      if (gone.denial || !standing) return;
      const before = { ...standing, seed: null, running: false };
      const undone = decide(back, { ...gone.to, before }, facts);
      expect(undone).toMatchObject({ to: standing, slots: -gone.slots || 0 });
    }),
  );
});

/** A tournament in memory that moves as the server does; approvals of the queue aside. */
test('any sequence of triggers counts slots right and never takes one too many', () => {
  const step = fc.record({ trigger: fc.constantFrom(...triggers), who: fc.nat(5), given: anyFacts });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), fc.integer({ min: 1, max: 4 }), (steps, cap) => {
      const entrants: (TransitionSubject | null)[] = Array(6).fill(null);
      let taken = 0;
      for (const { trigger, who, given } of steps) {
        const entrant = entrants[who] ?? null;
        const decision = decide(trigger, entrant, { ...given, full: taken >= cap });
        if (decision.denial) continue;
        taken += decision.slots;
        const keeps = trigger === 'disqualify' || trigger === 'mark_no_show';
        const before = keeps && entrant ? { ...entrant, seed: null, running: given.running } : null;
        entrants[who] = trigger === 'remove' ? null : { ...decision.to, before };
        expect(taken).toBe(entrants.filter((one) => one && holdsSlot(one)).length);
        expect(taken).toBeLessThanOrEqual(cap);
      }
    }),
  );
});

test('what someone may do is what the table lets them and their role carries', () => {
  const roles = fc.constantFrom<ProjectRole | null>(null, 'MEMBER', 'MODERATOR', 'ORGANIZER', 'ADMIN', 'OWNER');
  const entrants = fc.constantFrom(...Object.values(states).filter((standing) => standing !== null));
  fc.assert(
    fc.property(roles, entrants, anyFacts, (role, entrant, given) => {
      const actions = possibleActions(role, entrant, given);
      for (const action of allStaffActions) {
        const possible = !decide(action, entrant, given).denial;
        expect(actions.includes(action)).toBe(possible && can(role, staffActions[action]));
      }
    }),
  );
});
