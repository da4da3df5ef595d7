import { describe, expect, it } from 'vitest';
import { byUrgency, type RegistrationFacts, registrationState } from '@/domain/participants/registration-state';
import { tournamentPhase } from '@/domain/tournaments/phase';

const hour = 3_600_000;
const iso = (hours: number) => new Date(hours * hour).toISOString();
const tournament = {
  customFieldsVersion: 1,
  status: 'PUBLISHED',
  publishedAt: iso(0),
  registrationOpensAt: iso(1),
  registrationClosesAt: iso(5),
  checkInOpensAt: iso(6),
  checkInClosesAt: iso(8),
  startDate: iso(9),
  maxParticipants: 2,
  currentParticipants: 0,
  waitlistEnabled: false,
};
const entry: RegistrationFacts = {
  type: 'individual',
  registrationStatus: 'approved',
  status: 'registered',
  waitlistPosition: null,
  statusReason: null,
  customFieldsVersion: 1,
  canEdit: true,
};

describe('entryState', () => {
  const titles = (change: Partial<RegistrationFacts>, hours: number, status = 'PUBLISHED') =>
    registrationState({ ...entry, ...change }, { ...tournament, status }, hours * hour).title;

  it('asks for answers again once the questions have changed, of who may still edit', () => {
    const at = (change: Partial<RegistrationFacts>) =>
      registrationState({ ...entry, ...change }, { ...tournament, customFieldsVersion: 2 }, 3 * hour);
    expect(at({}).mustAnswer).toBe(true);
    expect(at({}).urgency).toBeLessThan(registrationState(entry, tournament, 3 * hour).urgency);
    expect(at({ customFieldsVersion: 2 }).mustAnswer).toBe(false);
    expect(at({ canEdit: false }).mustAnswer).toBe(false);
  });

  it('gives the reason of who was rejected or disqualified, and of nobody else', () => {
    const reasonOf = (change: Partial<RegistrationFacts>) =>
      registrationState({ ...entry, statusReason: 'Smurfing', ...change }, tournament, 3 * hour).reason;
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

  it('never asks for a check-in that would be refused', () => {
    for (const registrationStatus of ['pending', 'waitlisted', 'rejected', 'cancelled'] as const) {
      expect(registrationState({ ...entry, registrationStatus }, tournament, 7 * hour).mustCheckIn).toBe(false);
    }
    for (const status of ['DRAFT', 'IN_PROGRESS', 'COMPLETED', 'CANCELLED'].slice(1)) {
      expect(registrationState(entry, { ...tournament, status }, 7 * hour).mustCheckIn).toBe(false);
    }
  });

  it('names the place in the queue', () => {
    expect(titles({ registrationStatus: 'waitlisted', waitlistPosition: 3 }, 2)).toBe('Number 3 on the waitlist');
  });

  it('puts what must be done now before all else', () => {
    const states = [
      registrationState({ ...entry, registrationStatus: 'pending' }, tournament, 7 * hour),
      registrationState({ ...entry, status: 'checked_in' }, tournament, 7 * hour),
      registrationState(entry, tournament, 7 * hour),
    ];
    expect(states.sort(byUrgency).map((state) => state.title)[0]).toBe('Check in now');
  });
});

describe('tournamentPhase', () => {
  const phases = (change: Partial<typeof tournament>, ...hours: number[]) =>
    hours.map((at) => tournamentPhase({ ...tournament, ...change }, at * hour).phase);

  it('follows the schedule', () => {
    expect(phases({}, 0.5, 1, 5, 6, 8, 9)).toEqual(['soon', 'open', 'closed', 'check_in', 'closed', 'starting']);
  });

  it('tells a full tournament from one that still queues', () => {
    expect(phases({ currentParticipants: 2 }, 2, 7)).toEqual(['full', 'check_in']);
    expect(phases({ currentParticipants: 2, waitlistEnabled: true }, 2)).toEqual(['waitlist']);
  });

  it('counts to what comes next', () => {
    expect(tournamentPhase(tournament, 0.5 * hour).next).toEqual({ at: hour, label: 'Opens' });
    expect(tournamentPhase(tournament, 2 * hour).next).toEqual({ at: 5 * hour, label: 'Closes' });
    expect(tournamentPhase({ ...tournament, status: 'CANCELLED' }, 2 * hour).next).toBeNull();
  });
});
