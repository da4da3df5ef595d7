import type { Report } from './reports';
import { clockSettlesMs } from './rules';

/**
 * What is known of a client's clock: its first report of the session, and how far ahead of ours it was at most.
 * Milliseconds.
 */
export type Clock = { firstReportAt: number | null; aheadMs: number | null };

export const unknownClock: Clock = { firstReportAt: null, aheadMs: null };

/** How far ahead the clock is known to be at the start of a window; null while too little is known. */
export function knownAhead({ firstReportAt, aheadMs }: Clock, start: number): number | null {
  if (firstReportAt === null || aheadMs === null) return null;
  return start - firstReportAt >= clockSettlesMs ? aheadMs : null;
}

/** What is known of the clock after a window with these reports. */
export function learnClock(clock: Clock, reports: readonly Pick<Report, 'at' | 'receivedAt'>[]): Clock {
  let { firstReportAt, aheadMs } = clock;
  for (const { at, receivedAt } of reports) {
    if (clock.firstReportAt === null) firstReportAt = Math.min(firstReportAt ?? receivedAt, receivedAt);
    aheadMs = Math.max(aheadMs ?? at - receivedAt, at - receivedAt);
  }
  return { firstReportAt, aheadMs };
}
