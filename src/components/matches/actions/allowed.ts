import { isOver } from '@/components/brackets/match-words';
import type { Match } from '@/components/matches/types';

export type MatchAction =
  | 'report'
  | 'confirm'
  | 'dispute'
  | 'enter'
  | 'rule'
  | 'begin'
  | 'forfeit'
  | 'correct'
  | 'reopen';

type Facts = Pick<Match, 'status' | 'slots' | 'report' | 'decidedBy' | 'startedAt'>;
type Viewer = { canManage: boolean; myParticipantId: string | null };

/** What a viewer can do with a match now, the most likely action first. */
export function allowedActions(match: Facts, { canManage, myParticipantId }: Viewer): MatchAction[] {
  const { status, report, decidedBy, startedAt } = match;
  if (isOver(match)) {
    // A bye has no result, and a withdrawal is undone where the participant is reinstated.
    return canManage && (decidedBy === 'result' || decidedBy === 'forfeit') ? ['correct', 'reopen'] : [];
  }
  if (status === 'pending') return [];
  const isMine = myParticipantId !== null && match.slots.some(({ participantId }) => participantId === myParticipantId);
  const actions: MatchAction[] = [];
  if (status !== 'disputed') {
    if (report && isMine && report.by !== myParticipantId) actions.push('confirm', 'dispute');
    else if (isMine) actions.push('report');
    else if (report && canManage) actions.push('confirm');
  }
  if (canManage) {
    if (status === 'disputed' || report) actions.push('rule');
    else if (!isMine) actions.push('enter');
    if (startedAt === null && status !== 'disputed') actions.push('begin');
    actions.push('forfeit');
  }
  return actions;
}
