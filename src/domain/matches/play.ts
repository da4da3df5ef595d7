import type { MatchStatus } from '@/domain/brackets/types';

/** What says whether a match is being played; of `report` and `startedAt` only whether they are null. */
type PlayFacts = { status: MatchStatus; report: unknown; startedAt: unknown };

/**
 * Whether an open match has a report that nobody has answered, and staff have not started it. One player can cause that
 * alone, so it keeps nobody from anything.
 */
export function isOnlyReported({ status, report, startedAt }: PlayFacts): boolean {
  return status === 'in_progress' && report !== null && startedAt === null;
}

/** Whether a match is being played: staff have started it, or its result is disputed. */
export function isBeingPlayed(match: PlayFacts): boolean {
  return match.status === 'disputed' || (match.status === 'in_progress' && !isOnlyReported(match));
}

/** Whether a match that nobody has decided has a report that staff can take off: unanswered, or disputed. */
export function isReportRemovable(match: PlayFacts): boolean {
  return isOnlyReported(match) || (match.status === 'disputed' && match.report !== null);
}

/** The status of a match that has both participants and waits to be played. */
export function waitingStatus({ scheduledAt }: { scheduledAt: string | null }): 'ready' | 'scheduled' {
  return scheduledAt === null ? 'ready' : 'scheduled';
}
