import { checkInWindow } from '@/domain/tournaments/schedule';

/** When (milliseconds) check-in closes; null: the tournament has none. */
export function checkInEnd(schedule: Parameters<typeof checkInWindow>[0]): number | null {
  const { opensAt, closesAt } = checkInWindow(schedule);
  return opensAt === null ? null : closesAt;
}

/**
 * Whether a participant has to check in. Whoever waited for a slot until after check-in had closed never could, so they play without it
 * and are no no-show. Whoever registers after check-in has closed still has to: otherwise a player who missed it, or whose anti-cheat
 * client was not running, could skip it by cancelling and registering again.
 * @param times when they registered (again), and when they got their slot
 * @param end from `checkInEnd`
 */
export function owesCheckIn(
  { registeredAt, approvedAt }: { registeredAt?: Date | string; approvedAt?: Date | string | null },
  end: number | null,
): boolean {
  if (end === null || !registeredAt || !approvedAt) return true;
  return new Date(registeredAt).getTime() >= end || new Date(approvedAt).getTime() < end;
}
