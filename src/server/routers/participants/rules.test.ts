import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { holdsSlot, type ParticipantState } from '@/domain/participants/statuses';
import { rosterIssues } from './roster/rules';
import { decide, type Facts, type Trigger, triggers } from './rules';

const facts: Facts = {
  beforeStart: true,
  running: false,
  registrationOpen: true,
  checkInOpen: true,
  checkInOver: false,
  full: false,
  requiresApproval: false,
  waitlistEnabled: false,
  allowCancel: true,
  allowEdit: true,
  teams: false,
  rosterLocked: false,
  antiCheatMissing: false,
};
const approved: ParticipantState = { registrationStatus: 'approved', status: 'registered' };
const pending: ParticipantState = { registrationStatus: 'pending', status: 'registered' };
const waitlisted: ParticipantState = { registrationStatus: 'waitlisted', status: 'registered' };
const rejected: ParticipantState = { registrationStatus: 'rejected', status: 'registered' };
const cancelled: ParticipantState = { registrationStatus: 'cancelled', status: 'withdrew' };
const checkedIn: ParticipantState = { registrationStatus: 'approved', status: 'checked_in' };
const disqualified: ParticipantState = { registrationStatus: 'approved', status: 'disqualified' };
const active: ParticipantState = { registrationStatus: 'approved', status: 'active' };

describe('registering', () => {
  test.each<[string, Partial<Facts>, ParticipantState, number]>([
    ['takes a slot', {}, approved, 1],
    ['waits for approval without a slot', { requiresApproval: true }, pending, 0],
    ['joins the waitlist at capacity', { full: true, waitlistEnabled: true }, waitlisted, 0],
    [
      'joins the waitlist though approval is required',
      { full: true, waitlistEnabled: true, requiresApproval: true },
      waitlisted,
      0,
    ],
  ])('%s', (_name, change, to, slots) => {
    expect(decide('register', null, { ...facts, ...change })).toEqual({ to, slots });
    expect(decide('register', cancelled, { ...facts, ...change })).toEqual({ to, slots });
  });

  test.each<[string, ParticipantState | null, Partial<Facts>, string]>([
    ['closed', null, { registrationOpen: false }, 'REGISTRATION_CLOSED'],
    ['full', null, { full: true }, 'TOURNAMENT_FULL'],
    ['in already', approved, {}, 'ALREADY_REGISTERED'],
    ['in already, and closed since', approved, { registrationOpen: false }, 'ALREADY_REGISTERED'],
    ['pending already', pending, {}, 'ALREADY_REGISTERED'],
    ['waiting already', waitlisted, {}, 'ALREADY_REGISTERED'],
    ['disqualified', disqualified, {}, 'ALREADY_REGISTERED'],
    ['rejected before', rejected, {}, 'REGISTRATION_REJECTED'],
  ])('is refused when %s', (_name, standing, change, reason) => {
    expect(decide('register', standing, { ...facts, ...change }).denial?.reason).toBe(reason);
  });
});

describe('cancelling', () => {
  test('frees the slot of who had one', () => {
    expect(decide('cancel', approved, facts)).toEqual({ to: cancelled, slots: -1 });
    expect(decide('cancel', checkedIn, facts)).toEqual({ to: cancelled, slots: -1 });
    expect(decide('cancel', pending, facts)).toEqual({ to: cancelled, slots: 0 });
    expect(decide('cancel', waitlisted, facts)).toEqual({ to: cancelled, slots: 0 });
  });

  test.each<[string, ParticipantState | null, Partial<Facts>, string]>([
    ['the organizer switched it off', approved, { allowCancel: false }, 'CANCEL_NOT_ALLOWED'],
    ['the tournament has started', approved, { beforeStart: false }, 'INVALID_STATE'],
    ['disqualified', disqualified, {}, 'INVALID_STATE'],
    ['not registered', null, {}, 'NOT_REGISTERED'],
    ['cancelled already', cancelled, {}, 'INVALID_STATE'],
    ['rejected', rejected, {}, 'INVALID_STATE'],
  ])('is refused when %s', (_name, standing, change, reason) => {
    expect(decide('cancel', standing, { ...facts, ...change }).denial?.reason).toBe(reason);
  });
});

describe('checking in', () => {
  test('marks who is approved', () => {
    expect(decide('check_in_self', approved, facts)).toEqual({ to: checkedIn, slots: 0 });
    expect(decide('check_in', approved, { ...facts, checkInOpen: false })).toEqual({
      to: checkedIn,
      slots: 0,
    });
    expect(decide('check_in', approved, { ...facts, antiCheatMissing: true }).denial).toBeUndefined();
  });

  test.each<[string, Trigger, ParticipantState | null, Partial<Facts>, string]>([
    ['the window is closed', 'check_in_self', approved, { checkInOpen: false }, 'CHECK_IN_CLOSED'],
    ['no anti-cheat client runs', 'check_in_self', approved, { antiCheatMissing: true }, 'ANTI_CHEAT_NOT_RUNNING'],
    ['pending', 'check_in_self', pending, {}, 'NOT_APPROVED'],
    ['waiting', 'check_in', waitlisted, {}, 'NOT_APPROVED'],
    ['checked in already', 'check_in_self', checkedIn, {}, 'ALREADY_CHECKED_IN'],
    ['playing', 'check_in', active, { beforeStart: false }, 'INVALID_STATE'],
    ['disqualified', 'check_in', disqualified, {}, 'INVALID_STATE'],
    ['the tournament is over', 'check_in', approved, { beforeStart: false }, 'INVALID_STATE'],
    ['not registered', 'check_in_self', null, {}, 'NOT_REGISTERED'],
  ])('is refused when %s', (_name, trigger, standing, change, reason) => {
    expect(decide(trigger, standing, { ...facts, ...change }).denial?.reason).toBe(reason);
  });
});

test('a promotion needs a free slot and someone who waits', () => {
  expect(decide('promote', waitlisted, facts)).toEqual({ to: approved, slots: 1 });
  expect(decide('promote', waitlisted, { ...facts, full: true }).denial?.reason).toBe('ROSTER_FULL');
  expect(decide('promote', approved, facts).denial?.reason).toBe('INVALID_STATE');
});

test('no trigger moves more than one slot, and none takes one when all are taken', () => {
  const anyFacts = fc.record({
    beforeStart: fc.boolean(),
    running: fc.boolean(),
    registrationOpen: fc.boolean(),
    checkInOpen: fc.boolean(),
    checkInOver: fc.boolean(),
    full: fc.boolean(),
    requiresApproval: fc.boolean(),
    waitlistEnabled: fc.boolean(),
    allowCancel: fc.boolean(),
    allowEdit: fc.boolean(),
    teams: fc.boolean(),
    rosterLocked: fc.boolean(),
    antiCheatMissing: fc.boolean(),
  });
  const standings = fc.constantFrom(
    null,
    approved,
    pending,
    waitlisted,
    rejected,
    cancelled,
    checkedIn,
    disqualified,
    active,
  );
  const anyTrigger = fc.constantFrom<Trigger>(...triggers);
  fc.assert(
    fc.property(anyTrigger, standings, anyFacts, (trigger, standing, given) => {
      const decision = decide(trigger, standing, given);
      if (decision.denial) return;
      const holds = trigger !== 'remove' && holdsSlot(decision.to);
      expect(decision.slots).toBe(Number(holds) - Number(holdsSlot(standing)));
      if (given.full) expect(decision.slots).toBeLessThanOrEqual(0);
    }),
  );
});

describe('rosters', () => {
  const sizes = { rosterMin: 2, rosterMax: 3 };
  const me = { userId: 'me', role: 'captain' } as const;
  const other = (userId: string, role: 'player' | 'substitute' | 'captain' = 'player') => ({ userId, role });
  const paths = (team: Parameters<typeof rosterIssues>[0]) =>
    rosterIssues(team, sizes, 'me').map((issue) => issue.path);

  test('of the right size with their captain pass', () => {
    expect(paths({ teamName: 'Foxes', teamMembers: [me, other('a')] })).toEqual([]);
    expect(paths({ teamName: 'Foxes', teamMembers: [me, other('a'), other('b', 'substitute')] })).toEqual([]);
  });

  test('that are not are refused with what is wrong', () => {
    expect(paths({})).toEqual(['teamName', 'teamMembers']);
    expect(paths({ teamName: 'Foxes', teamMembers: [me] })).toEqual(['teamMembers']);
    expect(paths({ teamName: 'Foxes', teamMembers: [me, other('a'), other('b'), other('c')] })).toEqual([
      'teamMembers',
    ]);
    expect(paths({ teamName: 'Foxes', teamMembers: [other('a', 'captain'), other('me')] })).toEqual(['teamMembers']);
    expect(paths({ teamName: 'Foxes', teamMembers: [me, other('a', 'captain')] })).toEqual(['teamMembers']);
    expect(paths({ teamName: 'Foxes', teamMembers: [me, other('a'), other('a')] })).toEqual(['teamMembers.2.userId']);
  });
});
