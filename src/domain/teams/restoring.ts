import { week } from '@/domain/time/durations';

/** How long a disbanded team can be restored: its members no longer see it, and would be back in it without being asked. */
export const restorableFor = week;

/** Whether a team that was disbanded at a time, in milliseconds, can still be restored. */
export function isRestorable(disbandedAt: number, now: number): boolean {
  return now - disbandedAt <= restorableFor;
}
