import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { holdsSlot, type ParticipantState } from '@/domain/participants/statuses';
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
  const lockedForOthers = { rosterLocked: true, otherPlayers: true };

  test.each<[string, Partial<Facts>, ParticipantState, number]>([
    ['takes a slot', {}, approved, 1],
    ['is pending without a slot when approval is required', { requiresApproval: true }, pending, 0],
    ['joins the waitlist when every slot is taken', { full: true, waitlistEnabled: true }, waitlisted, 0],
    [
      'joins the waitlist even if approval is required',
      { full: true, waitlistEnabled: true, requiresApproval: true },
      waitlisted,
      0,
    ],
    ['takes a slot with the same players once rosters are locked', { rosterLocked: true }, approved, 1],
    ['takes a slot with other players until rosters are locked', { otherPlayers: true }, approved, 1],
  ])('%s', (_name, change, to, slots) => {
    expect(decide('register', null, { ...facts, ...change })).toEqual({ to, slots });
    expect(decide('register', cancelled, { ...facts, ...change })).toEqual({ to, slots });
  });

  test.each<[string, ParticipantState | null, Partial<Facts>, string]>([
    ['closed', null, { registrationOpen: false }, 'REGISTRATION_CLOSED'],
    ['full', null, { full: true }, 'TOURNAMENT_FULL'],
    ['already approved', approved, {}, 'ALREADY_REGISTERED'],
    ['already approved, and registration has closed', approved, { registrationOpen: false }, 'ALREADY_REGISTERED'],
    ['already pending', pending, {}, 'ALREADY_REGISTERED'],
    ['already waitlisted', waitlisted, {}, 'ALREADY_REGISTERED'],
    ['disqualified', disqualified, {}, 'ALREADY_REGISTERED'],
    ['rejected', rejected, {}, 'REGISTRATION_REJECTED'],
    ['rosters are locked and its players are others', cancelled, lockedForOthers, 'ROSTER_LOCKED'],
  ])('is refused when %s', (_name, state, change, reason) => {
    expect(decide('register', state, { ...facts, ...change }).denial?.reason).toBe(reason);
  });
});

describe('cancelling', () => {
  test('frees the slot of an approved participant', () => {
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
    ['already cancelled', cancelled, {}, 'INVALID_STATE'],
    ['rejected', rejected, {}, 'INVALID_STATE'],
  ])('is refused when %s', (_name, state, change, reason) => {
    expect(decide('cancel', state, { ...facts, ...change }).denial?.reason).toBe(reason);
  });
});

describe('checking in', () => {
  test('is possible for approved participants', () => {
    expect(decide('check_in_self', approved, facts)).toEqual({ to: checkedIn, slots: 0 });
    expect(decide('check_in', approved, { ...facts, checkInOpen: false })).toEqual({
      to: checkedIn,
      slots: 0,
    });
    expect(decide('check_in', approved, { ...facts, antiCheatMissing: true }).denial).toBeUndefined();
  });

  test.each<[string, Trigger, ParticipantState | null, Partial<Facts>, string]>([
    ['the window is closed', 'check_in_self', approved, { checkInOpen: false }, 'CHECK_IN_CLOSED'],
    [
      'no anti-cheat client is running',
      'check_in_self',
      approved,
      { antiCheatMissing: true },
      'ANTI_CHEAT_NOT_RUNNING',
    ],
    ['pending', 'check_in_self', pending, {}, 'NOT_APPROVED'],
    ['waitlisted', 'check_in', waitlisted, {}, 'NOT_APPROVED'],
    ['already checked in', 'check_in_self', checkedIn, {}, 'ALREADY_CHECKED_IN'],
    ['playing', 'check_in', active, { beforeStart: false }, 'INVALID_STATE'],
    ['disqualified', 'check_in', disqualified, {}, 'INVALID_STATE'],
    ['the tournament is over', 'check_in', approved, { beforeStart: false }, 'INVALID_STATE'],
    ['not registered', 'check_in_self', null, {}, 'NOT_REGISTERED'],
  ])('is refused when %s', (_name, trigger, state, change, reason) => {
    expect(decide(trigger, state, { ...facts, ...change }).denial?.reason).toBe(reason);
  });
});

test('a promotion needs a free slot and a waitlisted participant', () => {
  expect(decide('promote', waitlisted, facts)).toEqual({ to: approved, slots: 1 });
  expect(decide('promote', waitlisted, { ...facts, full: true }).denial?.reason).toBe('ROSTER_FULL');
  expect(decide('promote', approved, facts).denial?.reason).toBe('INVALID_STATE');
});

test('no trigger changes more than one slot, and none takes a slot when all are taken', () => {
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
  const anyState = fc.constantFrom(
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
    fc.property(anyTrigger, anyState, anyFacts, (trigger, state, given) => {
      const decision = decide(trigger, state, given);
      if (decision.denial) return;
      const keepsSlot = trigger !== 'remove' && holdsSlot(decision.to);
      expect(decision.slots).toBe(Number(keepsSlot) - Number(holdsSlot(state)));
      if (given.full) expect(decision.slots).toBeLessThanOrEqual(0);
    }),
  );
});
