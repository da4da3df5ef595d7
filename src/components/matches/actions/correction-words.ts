import type { Bracket, Correction, Match } from '@/components/matches/types';
import { counted } from '@/domain/text/counted';

export type Affected = Correction['affected'][number];

/** What happens to an affected match, in words. */
export function describeEffect({ change, losesResult, before, after }: Affected): string {
  const isComplete = after?.every((id) => id !== null) ?? false;
  const isSame = after !== null && before.every((id, side) => id === after[side]);
  switch (change) {
    case 'removed':
      return 'The match is removed.';
    case 'reopened':
      return 'It has to be played after all.';
    case 'advances_other':
      return losesResult ? 'It is played again with other participants.' : 'Other participants play in it.';
    case 'cleared':
      if (losesResult) return isComplete ? 'It is played again.' : 'It waits for its participants.';
      return isSame ? 'It goes back to not played.' : 'It waits for its participants again.';
  }
}

/** How much a correction changes beyond its own match. */
export function summarizeEffects(affected: readonly Affected[]): string {
  if (affected.length === 0) return 'No other match changes.';
  const lost = affected.filter(({ losesResult }) => losesResult).length;
  const changes = counted(affected.length, 'other match changes', 'other matches change');
  return lost > 0 ? `${changes}, and ${counted(lost, 'result is', 'results are')} deleted.` : `${changes}.`;
}

/** Who wins the corrected match, against who won it before. */
export function describeOutcome(
  before: Pick<Match, 'winnerId'>,
  winnerId: string | null,
  nameOf: (participantId: string) => string,
): string {
  if (before.winnerId === winnerId) {
    return winnerId === null ? 'It stays without a winner.' : `${nameOf(winnerId)} still wins; only the score changes.`;
  }
  const was = before.winnerId === null ? 'nobody' : nameOf(before.winnerId);
  return winnerId === null ? `It has no winner; before, ${was} won.` : `${nameOf(winnerId)} wins instead of ${was}.`;
}

/** Every match of a bracket by its number, with the name of its round. */
export function matchesByNumber(bracket: Bracket | undefined): ReadonlyMap<number, { match: Match; round: string }> {
  return new Map(
    (bracket?.stages ?? []).flatMap((stage) =>
      stage.rounds.flatMap(({ name, matches }) =>
        matches.map((match): [number, { match: Match; round: string }] => [match.number, { match, round: name }]),
      ),
    ),
  );
}

/** The names of all participants in a bracket, by id. */
export function namesIn(bracket: Bracket | undefined): ReadonlyMap<string, string> {
  const found = [...matchesByNumber(bracket).values()].flatMap(({ match }) => match.slots);
  return new Map(
    found.flatMap(({ participantId, name }): [string, string][] =>
      participantId && name ? [[participantId, name]] : [],
    ),
  );
}
