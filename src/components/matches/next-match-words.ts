import type { BracketMatch } from '@/components/brackets/types';
import { sourceName } from '@/domain/brackets/names';
import type { Outputs } from '@/trpc/outputs';

type ResultMode = Outputs['matches']['get']['tournament']['resultMode'];

/** What a player has to know about their next match. */
export type NextMatchText = {
  opponent: string;
  /** What to do now, as a sentence. */
  advice: string;
  /** Whether the player has to act now. */
  urgent: boolean;
  /** A moment to count down to. */
  until: { at: string; label: string } | null;
};

/** Says who the opponent is and what to do. */
export function describeNextMatch(match: BracketMatch, participantId: string, resultMode: ResultMode): NextMatchText {
  const other = match.slots.find((slot) => slot.participantId !== participantId) ?? match.slots[1];
  const opponent = other.name ?? sourceName(other.source);
  const text = (advice: string, rest: Partial<NextMatchText> = {}): NextMatchText => ({
    ...{ opponent, advice, urgent: false, until: null },
    ...rest,
  });
  const { status, report, proposal, scheduledAt, calledAt, showUpBy, station } = match;
  const byStaff = resultMode === 'staff';
  if (status === 'disputed') return text('The result is disputed. A moderator will decide.', { urgent: true });
  if (report && report.by !== participantId) {
    const until = report.confirmBy ? { at: report.confirmBy, label: 'Confirms itself' } : null;
    return text('Your opponent reported the result. Confirm it, or dispute it.', { urgent: true, until });
  }
  if (report) {
    const until = report.confirmBy ? { at: report.confirmBy, label: 'Confirms itself' } : null;
    return text('You reported the result. Your opponent has to confirm it.', { until });
  }
  if (status === 'in_progress')
    return text(
      `Your match is running. ${byStaff ? 'Staff enter the result.' : 'Report the result when it is over.'}`,
      {
        urgent: true,
      },
    );
  if (other.participantId === null) return text('Your opponent is not known yet. This page updates by itself.');
  if (calledAt) {
    const until = showUpBy ? { at: showUpBy, label: 'Be there' } : null;
    return text(station ? `You are called to ${station}.` : 'You have been called. Go to your match now.', {
      urgent: true,
      until,
    });
  }
  if (proposal && proposal.by !== participantId)
    return text('Your opponent proposes another time. Accept it, or decline it.', { urgent: true });
  if (scheduledAt) return text('Be ready at the scheduled time.', { until: { at: scheduledAt, label: 'Starts' } });
  return text(
    `Your opponent is ready. Play your match${byStaff ? '; staff enter the result.' : ', then report the result.'}`,
    { urgent: true },
  );
}
