import { checkInWindow } from '@/domain/tournaments/schedule';

/** When (milliseconds) check-in closes; null: the tournament has none. */
export function checkInEnd(schedule: Parameters<typeof checkInWindow>[0]): number | null {
  const { opensAt, closesAt } = checkInWindow(schedule);
  return opensAt === null ? null : closesAt;
}

/**
 * Whether a participant has to check in. Whoever gets a slot after check-in has closed never could, so they play without it, and are no
 * no-show.
 * @param approvedAt when they got their slot
 * @param end from `checkInEnd`
 */
export function owesCheckIn(approvedAt: Date | string | null, end: number | null): boolean {
  return approvedAt === null || end === null || new Date(approvedAt).getTime() < end;
}
