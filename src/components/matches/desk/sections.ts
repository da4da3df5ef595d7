import { isBye, isOver } from '@/components/brackets/match-words';
import type { Bracket, Match } from '@/components/matches/types';

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

/** The matches by what staff has to do about them, the most urgent first; empty sections are left out. `now` in ms. */
export function deskSections(all: readonly ListedMatch[], now: number): Section[] {
  const isLate = ({ scheduledAt }: Match) => scheduledAt !== null && Date.parse(scheduledAt) < now;
  const isReported = ({ status, report }: Match) => status === 'in_progress' && report !== null;
  const where = (test: (match: Match) => boolean, timeOf: (match: Match) => string | null) =>
    all.filter(({ match }) => test(match)).sort(byTime(timeOf));
  const startOf = ({ startedAt }: Match) => startedAt;
  const planOf = ({ scheduledAt }: Match) => scheduledAt;
  return [
    { id: 'disputed', title: 'Disputed', items: where(({ status }) => status === 'disputed', startOf) },
    {
      id: 'reported',
      title: 'Waiting for confirmation',
      items: where(isReported, ({ report }) => report?.reportedAt ?? null),
    },
    { id: 'late', title: 'Late', items: where((match) => isWaiting(match) && isLate(match), planOf) },
    {
      id: 'running',
      title: 'Being played',
      items: where((match) => match.status === 'in_progress' && !isReported(match), startOf),
    },
    { id: 'ready', title: 'Ready', items: where((match) => isWaiting(match) && !isLate(match), planOf) },
    { id: 'finished', title: 'Finished', items: where(isOver, ({ completedAt }) => completedAt).reverse() },
  ].filter(({ items }) => items.length > 0);
}
