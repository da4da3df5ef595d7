import { describe, expect, it } from 'vitest';
import { tournamentPhase } from '@/domain/tournaments/phase';

const hour = 3_600_000;
const iso = (hours: number) => new Date(hours * hour).toISOString();
const tournament = {
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

describe('tournamentPhase', () => {
  const phases = (change: Partial<typeof tournament>, ...hours: number[]) =>
    hours.map((at) => tournamentPhase({ ...tournament, ...change }, at * hour).phase);

  it('follows the schedule', () => {
    expect(phases({}, 0.5, 1, 5, 6, 8, 9)).toEqual(['soon', 'open', 'closed', 'check_in', 'closed', 'overdue']);
  });

  it('is overdue from the start time on until the organizer starts it', () => {
    expect(phases({}, 8.99, 9, 20)).toEqual(['closed', 'overdue', 'overdue']);
    expect(phases({ status: 'IN_PROGRESS' }, 20)).toEqual(['live']);
  });

  it('distinguishes a full tournament from one with an open waitlist', () => {
    expect(phases({ currentParticipants: 2 }, 2, 7)).toEqual(['full', 'check_in']);
    expect(phases({ currentParticipants: 2, waitlistEnabled: true }, 2)).toEqual(['waitlist']);
  });

  it('counts down to the next moment', () => {
    expect(tournamentPhase(tournament, 0.5 * hour).next).toEqual({ at: hour, label: 'Opens' });
    expect(tournamentPhase(tournament, 2 * hour).next).toEqual({ at: 5 * hour, label: 'Closes' });
    expect(tournamentPhase({ ...tournament, status: 'CANCELLED' }, 2 * hour).next).toBeNull();
  });
});
