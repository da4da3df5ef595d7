import fc from 'fast-check';
import type { Schedule } from '@/domain/tournaments/schedule';

export const tournamentStatuses = ['DRAFT', 'PUBLISHED', 'IN_PROGRESS', 'COMPLETED', 'CANCELLED'] as const;

const time = fc.integer({ min: 0, max: 100 });

/** Schedules with times in milliseconds from 0 to 100, for `toSchedule`. */
export const anySchedule = fc.record({
  status: fc.constantFrom(...tournamentStatuses),
  startDate: time,
  publishedAt: fc.option(time),
  registrationOpensAt: fc.option(time),
  registrationClosesAt: fc.option(time),
  checkInOpensAt: fc.option(time),
  checkInClosesAt: fc.option(time),
});

/** Converts the times of a schedule to dates. */
export function toSchedule(raw: Record<string, string | number | null>): Schedule {
  const entries = Object.entries(raw).map(([key, value]) => [key, typeof value === 'number' ? new Date(value) : value]);
  return Object.fromEntries(entries) as Schedule;
}
