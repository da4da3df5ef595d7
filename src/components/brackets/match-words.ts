import type { BracketMatch, MatchSlot } from '@/components/brackets/types';
import { sourceName } from '@/domain/brackets/names';
import { isOnlyReported } from '@/domain/matches/play';

export function isBye(match: Pick<BracketMatch, 'slots'>): boolean {
  return match.slots.some(({ source }) => source.type === 'bye');
}

export function isOver({ status }: Pick<BracketMatch, 'status'>): boolean {
  return status === 'completed' || status === 'forfeited';
}

/** The status to show: a match with only a report is not live. */
export function shownStatus(match: Pick<BracketMatch, 'status' | 'report' | 'startedAt'>) {
  return isOnlyReported(match) ? 'reported' : match.status;
}

/** The name in a slot, or where it will come from. */
export function slotName(slot: MatchSlot): string {
  return slot.name ?? sourceName(slot.source);
}

/** The title of a match: who plays whom, or who has a bye. */
export function matchTitle(slots: BracketMatch['slots']): string {
  const [first, second] = slots;
  if (!isBye({ slots })) return `${slotName(first)} vs ${slotName(second)}`;
  return `${slotName(first.source.type === 'bye' ? second : first)} has a bye`;
}

/** What stands at the end of a slot's row: games won, `W` without scores, `FF` for a forfeit; empty while undecided. */
export function slotScore(slot: MatchSlot): string {
  if (slot.result === 'forfeit') return 'FF';
  if (slot.score !== null) return String(slot.score);
  if (slot.result === null) return '';
  return { win: 'W', loss: 'L', draw: 'D' }[slot.result];
}

/** The same in words, for screen readers. */
export function slotResult(slot: MatchSlot): string {
  if (slot.result === null) return '';
  return { win: 'won', loss: 'lost', draw: 'drew', forfeit: 'forfeited' }[slot.result];
}

/** The moment to show on a match: when it is planned, else when it started or ended. */
export function matchTime(match: Pick<BracketMatch, 'scheduledAt' | 'startedAt' | 'completedAt'>): string | null {
  return match.scheduledAt ?? match.startedAt ?? match.completedAt;
}

/** Where the sides go from here: `The winner goes to M20.` */
export function describeNext(match: Pick<BracketMatch, 'winnerTo' | 'loserTo'>): string | null {
  const { winnerTo, loserTo } = match;
  if (winnerTo && loserTo && winnerTo.match === loserTo.match) return null;
  const parts = [
    winnerTo ? `the winner goes to M${winnerTo.match}` : null,
    loserTo ? `the loser to M${loserTo.match}` : null,
  ];
  const text = parts.filter(Boolean).join(', ');
  if (text === '') return null;
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** Everyone in the matches, in seed order, for a list to choose from. */
export function participantsIn(matches: BracketMatch[]): { id: string; name: string; seed: number | null }[] {
  const found = new Map<string, { id: string; name: string; seed: number | null }>();
  for (const { slots } of matches) {
    for (const { participantId, name, seed } of slots) {
      if (participantId !== null) found.set(participantId, { id: participantId, name: name ?? '', seed });
    }
  }
  return [...found.values()].sort((a, b) => (a.seed ?? 0) - (b.seed ?? 0));
}

/** The participant's next match, or the last one they played. */
export function currentMatchOf(matches: BracketMatch[], participantId: string): BracketMatch | null {
  const own = matches.filter(({ slots }) => slots.some((slot) => slot.participantId === participantId));
  return own.find((match) => !isOver(match)) ?? own.at(-1) ?? null;
}

/** Where a match has its page. */
export function matchPath(slug: string, match: Pick<BracketMatch, 'number'>): string {
  return `/tournaments/${slug}/matches/${match.number}`;
}
