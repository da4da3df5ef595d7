import { isBye, isOver } from '@/components/brackets/match-words';
import type { Bracket, Match } from '@/components/matches/types';
import { minute } from '@/domain/time/durations';

export type ListedMatch = { match: Match; roundName: string };
export type Section = { id: string; title: string; items: ListedMatch[] };

const isWaiting = ({ status }: Match) => status === 'ready' || status === 'scheduled';

/** Every match of a bracket that is not a bye, with the name of its round. */
export function listedMatches(bracket: Bracket): ListedMatch[] {
  return bracket.stages.flatMap((stage) =>
    stage.rounds.flatMap(({ name, matches }) =>
      matches
        .filter((match) => !isBye(match))
        .map((match) => ({ match, roundName: bracket.stages.length > 1 ? `${stage.name}, ${name}` : name })),
    ),
  );
}

/** Earlier times first, and matches without a time last. */
function byTime(timeOf: (match: Match) => string | null) {
  const at = ({ match }: ListedMatch) => Date.parse(timeOf(match) ?? '') || Number.MAX_SAFE_INTEGER;
  return (a: ListedMatch, b: ListedMatch) => at(a) - at(b) || a.match.number - b.match.number;
}

/** How long a game takes at most; a match without a result after as many of them is unreported. */
const gameMs = 45 * minute;

/** When a match that runs counts as unreported, in milliseconds; null: it does not run, or has a report. */
function unreportedFrom({ status, report, startedAt, bestOf }: Match): number | null {
  return status === 'in_progress' && report === null && startedAt ? Date.parse(startedAt) + bestOf * gameMs : null;
}

/** The moments in milliseconds at which matches move to another section by themselves. */
export function sectionChanges(all: readonly ListedMatch[]): number[] {
  return all.flatMap(({ match }) => {
    const { scheduledAt, showUpBy } = match;
    const unreported = unreportedFrom(match);
    return [scheduledAt, showUpBy]
      .flatMap((at) => at ?? [])
      .map(Date.parse)
      .concat(unreported ?? []);
  });
}

function sectionOf(match: Match, now: number): string {
  const { status, report, scheduledAt, calledAt, showUpBy } = match;
  if (isOver(match)) return 'finished';
  if (status === 'disputed') return 'disputed';
  if (isWaiting(match)) {
    if (showUpBy !== null && Date.parse(showUpBy) <= now) return 'missing';
    if (calledAt !== null) return 'called';
    return scheduledAt !== null && Date.parse(scheduledAt) < now ? 'late' : 'ready';
  }
  if (status !== 'in_progress') return status;
  if (report !== null) return 'reported';
  const unreported = unreportedFrom(match);
  return unreported !== null && unreported <= now ? 'unreported' : 'running';
}

const sections: { id: string; title: string; timeOf: (match: Match) => string | null }[] = [
  { id: 'disputed', title: 'Disputed', timeOf: ({ startedAt }) => startedAt },
  { id: 'missing', title: 'Called, and the time is over', timeOf: ({ showUpBy }) => showUpBy },
  { id: 'reported', title: 'Waiting for confirmation', timeOf: ({ report }) => report?.reportedAt ?? null },
  { id: 'unreported', title: 'Unreported', timeOf: ({ startedAt }) => startedAt },
  { id: 'late', title: 'Late', timeOf: ({ scheduledAt }) => scheduledAt },
  { id: 'called', title: 'Called', timeOf: ({ showUpBy }) => showUpBy },
  { id: 'running', title: 'Being played', timeOf: ({ startedAt }) => startedAt },
  { id: 'ready', title: 'Ready', timeOf: ({ scheduledAt }) => scheduledAt },
  { id: 'finished', title: 'Finished', timeOf: ({ completedAt }) => completedAt },
];

/** The matches by what staff has to do about them, the most urgent first; empty sections are left out. `now` in ms. */
export function deskSections(all: readonly ListedMatch[], now: number): Section[] {
  const placed = all.map((listed) => ({ listed, id: sectionOf(listed.match, now) }));
  return sections.flatMap(({ id, title, timeOf }) => {
    const items = placed.flatMap((one) => (one.id === id ? [one.listed] : [])).sort(byTime(timeOf));
    if (items.length === 0) return [];
    return [{ id, title, items: id === 'finished' ? items.reverse() : items }];
  });
}
