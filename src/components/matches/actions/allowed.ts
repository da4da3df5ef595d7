import { isOver } from '@/components/brackets/match-words';
import type { Match } from '@/components/matches/types';
import { isBeingPlayed, isReportRemovable } from '@/domain/matches/play';

export type MatchAction =
  | 'report'
  | 'confirm'
  | 'dispute'
  | 'enter'
  | 'rule'
  | 'begin'
  | 'removeReport'
  | 'reschedule'
  | 'forfeit'
  | 'correct'
  | 'reopen';

type Facts = Pick<Match, 'status' | 'slots' | 'report' | 'decidedBy' | 'startedAt'>;
export type Viewer = {
  /** Whether they may moderate matches of the project. */
  canManage: boolean;
  /** The participant of the tournament that they play for. */
  myParticipantId: string | null;
  /** Whether only staff enter results, so that players report nothing. */
  staffResults?: boolean;
};

/** What a viewer can do with a match now, the most likely action first. */
export function allowedActions(match: Facts, { canManage, myParticipantId, staffResults }: Viewer): MatchAction[] {
  const { status, report, decidedBy } = match;
  if (isOver(match)) {
    // A bye has no result, and a withdrawal is undone where the participant is reinstated.
    return canManage && (decidedBy === 'result' || decidedBy === 'forfeit') ? ['correct', 'reopen'] : [];
  }
  if (status === 'pending') return canManage ? ['reschedule'] : [];
  const isMine = myParticipantId !== null && match.slots.some(({ participantId }) => participantId === myParticipantId);
  const actions: MatchAction[] = [];
  if (status !== 'disputed') {
    if (report && isMine && report.by !== myParticipantId)
      actions.push(...(staffResults ? [] : ['confirm' as const]), 'dispute');
    else if (isMine && !staffResults) actions.push('report');
    else if (report && canManage) actions.push('confirm');
  }
  if (canManage) {
    if (status === 'disputed' || report) actions.push('rule');
    else if (!isMine || staffResults) actions.push('enter');
    if (isReportRemovable(match)) actions.push('removeReport');
    else if (!isBeingPlayed(match)) actions.push('begin');
    actions.push('forfeit');
  }
  if ((isMine || canManage) && (status === 'ready' || status === 'scheduled')) actions.push('reschedule');
  return actions;
}
