import { describe, expect, it } from 'vitest';
import { byUrgency, type RegistrationFacts, registrationState } from '@/domain/participants/registration-state';

const hour = 3_600_000;
const iso = (hours: number) => new Date(hours * hour).toISOString();
const tournament = {
  customFieldsVersion: 1,
  status: 'PUBLISHED',
  checkInOpensAt: iso(6),
  checkInClosesAt: iso(8),
  startDate: iso(9),
};
const approved: RegistrationFacts = {
  type: 'individual',
  registrationStatus: 'approved',
  status: 'registered',
  waitlistPosition: null,
  registeredAt: iso(1),
  approvedAt: iso(1),
  statusReason: null,
  customFieldsVersion: 1,
  canEdit: true,
  mustAccept: false,
};

describe('registrationState', () => {
  const titles = (change: Partial<RegistrationFacts>, hours: number, status = 'PUBLISHED') =>
    registrationState({ ...approved, ...change }, { ...tournament, status }, hours * hour).title;

  it('asks participants who may still edit to update their answers once the questions have changed', () => {
    const at = (change: Partial<RegistrationFacts>) =>
      registrationState({ ...approved, ...change }, { ...tournament, customFieldsVersion: 2 }, 3 * hour);
    expect(at({}).mustUpdateAnswers).toBe(true);
    expect(at({}).urgency).toBeLessThan(registrationState(approved, tournament, 3 * hour).urgency);
    expect(at({ customFieldsVersion: 2 }).mustUpdateAnswers).toBe(false);
    expect(at({ canEdit: false }).mustUpdateAnswers).toBe(false);
  });

  it('asks a player whom someone else named to accept or leave, also once the tournament is over', () => {
    const at = (change: Partial<RegistrationFacts>, status = 'PUBLISHED') =>
      registrationState({ ...approved, mustAccept: true, ...change }, { ...tournament, status }, 3 * hour);
    expect(at({}).mustAccept).toBe(true);
    expect(at({ mustAccept: false }).mustAccept).toBe(false);
    expect(at({}).urgency).toBeLessThan(at({ mustAccept: false }).urgency);
    expect(at({ status: 'disqualified' }).mustAccept).toBe(true);
    expect(at({ status: 'eliminated' }, 'COMPLETED').mustAccept).toBe(true);
    expect(at({ registrationStatus: 'cancelled' }).mustAccept).toBe(false);
  });

  it('shows the reason of a rejection or disqualification only', () => {
    const reasonOf = (change: Partial<RegistrationFacts>) =>
      registrationState({ ...approved, statusReason: 'Smurfing', ...change }, tournament, 3 * hour).reason;
    expect(reasonOf({ registrationStatus: 'rejected' })).toBe('Smurfing');
    expect(reasonOf({ status: 'disqualified' })).toBe('Smurfing');
    expect(reasonOf({})).toBeNull();
    expect(reasonOf({ registrationStatus: 'waitlisted' })).toBeNull();
  });

  it('follows the check-in window', () => {
    expect([5, 6, 7.9, 8, 9].map((at) => titles({}, at))).toEqual([
      'You are in',
      'Check in now',
      'Check in now',
      'Check-in is closed',
      'Check-in is closed',
    ]);
    expect(titles({ status: 'checked_in' }, 7)).toBe('You are checked in');
    expect(titles({ type: 'team' }, 3)).toBe('Your team is in');
  });

  it('asks nobody to check in who waited for a slot until check-in had closed', () => {
    expect([8, 8.5, 9].map((at) => titles({ approvedAt: iso(8) }, at))).toEqual([
      'You are in',
      'You are in',
      'You are in',
    ]);
    expect(titles({ approvedAt: iso(7.99) }, 8)).toBe('Check-in is closed');
  });

  it('lets nobody skip check-in by registering once it has closed', () => {
    expect(titles({ registeredAt: iso(8), approvedAt: iso(8) }, 8)).toBe('Check-in is closed');
    expect(titles({ registeredAt: iso(7.99), approvedAt: iso(8) }, 8)).toBe('You are in');
  });

  it('says that the organizer has not started an overdue tournament', () => {
    const withoutCheckIn = { ...tournament, checkInOpensAt: null, checkInClosesAt: null };
    const detail = (hours: number) => registrationState(approved, withoutCheckIn, hours * hour).detail;
    expect(detail(8.99)).not.toBe('Waiting for the organizer to start.');
    expect(detail(9)).toBe('Waiting for the organizer to start.');
  });

  it('never asks for a check-in that the server would refuse', () => {
    for (const registrationStatus of ['pending', 'waitlisted', 'rejected', 'cancelled'] as const) {
      expect(registrationState({ ...approved, registrationStatus }, tournament, 7 * hour).mustCheckIn).toBe(false);
    }
    for (const status of ['IN_PROGRESS', 'COMPLETED', 'CANCELLED']) {
      expect(registrationState(approved, { ...tournament, status }, 7 * hour).mustCheckIn).toBe(false);
    }
  });

  it('names the position on the waitlist', () => {
    expect(titles({ registrationStatus: 'waitlisted', waitlistPosition: 3 }, 2)).toBe('Number 3 on the waitlist');
  });

  it('puts an open check-in first', () => {
    const states = [
      registrationState({ ...approved, registrationStatus: 'pending' }, tournament, 7 * hour),
      registrationState({ ...approved, status: 'checked_in' }, tournament, 7 * hour),
      registrationState(approved, tournament, 7 * hour),
    ];
    expect(states.sort(byUrgency).map((state) => state.title)[0]).toBe('Check in now');
  });
});
