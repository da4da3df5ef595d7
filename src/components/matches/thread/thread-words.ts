import { describeResult } from '@/components/matches/actions/match-names';
import type { ThreadLine } from '@/components/matches/types';

type Names = Readonly<Record<string, string>>;
type LineResult = NonNullable<ThreadLine['result']>;

/** A result of a line in words, the winner's scores first. */
export function describeLineResult(result: LineResult, names: Names): string {
  const { decidedBy, participantIds, winnerId } = result;
  const nameOf = (id: string) => names[id] ?? 'A participant';
  if (decidedBy !== 'forfeit' && decidedBy !== 'departure') return describeResult(participantIds, result, nameOf);
  return winnerId === null ? 'Both sides forfeited' : `${nameOf(winnerId)} won by forfeit`;
}

/** Whether somebody wrote the line; the others say what happened. */
export function isWritten({ kind, text, mediaFileIds }: ThreadLine): boolean {
  return kind === 'comment' || (kind === 'dispute' && (text !== '' || mediaFileIds.length > 0));
}

/** Who wrote a line or caused it: `Alice`, `Night Owls`, `Olivia (staff)`. */
export function authorOf({ author }: ThreadLine, names: Names): string {
  if (author === null) return '';
  if (author.participantId === null) return author.name;
  return names[author.participantId] ?? author.name;
}

/** What happened, as a sentence. @param when formats a moment in the viewer's zone */
export function describeLine(line: ThreadLine, names: Names, when: (iso: string) => string): string {
  const who = authorOf(line, names);
  const result = line.result ? describeLineResult(line.result, names) : '';
  const previous = line.previousResult ? describeLineResult(line.previousResult, names) : '';
  const at = line.scheduledAt ? when(line.scheduledAt) : '';
  switch (line.kind) {
    case 'report':
      return `${who} reported: ${result}.`;
    case 'report_removed':
      return `${who || 'Staff'} removed the report: ${previous}.`;
    case 'confirmation':
      return who ? `${who} confirmed: ${result}.` : `Nobody objected in time, so the report counts: ${result}.`;
    case 'dispute':
      return who ? `${who} disputed the result.` : 'The two reports differ. A moderator decides.';
    case 'ruling':
      return `${who || 'Staff'} decided: ${result}.`;
    case 'correction':
      return `Corrected by ${who || 'staff'}: ${previous} → ${result}.`;
    case 'reopening':
      return `Reopened by ${who || 'staff'}. The result was: ${previous}.`;
    case 'result_lost':
      return `The result was deleted because ${who || 'staff'} corrected an earlier match. It was: ${previous}.`;
    case 'proposal':
      return `${who} proposed to play on ${at}.`;
    case 'proposal_declined':
      return `${who || 'Staff'} declined ${at}.`;
    case 'proposal_withdrawn':
      return `${who} withdrew the proposal of ${at}.`;
    case 'rescheduled':
      return line.author?.participantId
        ? `${who} agreed to play on ${at}.`
        : `${who || 'Staff'} set the time to ${at}${line.previousScheduledAt ? `; it was ${when(line.previousScheduledAt)}` : ''}.`;
    case 'comment':
      return `${who} wrote.`;
  }
}
