import { isBye } from '@/components/brackets/match-words';
import type { Bracket, Match } from '@/components/matches/types';

export type PreviewRound = { key: string; name: string; matches: Match[] };

const isFilled = ({ slots }: Match) => slots.some(({ participantId }) => participantId !== null);

/** The rounds of a draw that already name participants, and how many matches are filled by results later. */
export function previewRounds(bracket: Bracket): { rounds: PreviewRound[]; later: number } {
  const rounds = bracket.stages.flatMap((stage) =>
    stage.rounds.map((round) => ({
      key: `${stage.id} ${round.bracket} ${round.number}`,
      name: bracket.stages.length > 1 ? `${stage.name}, ${round.name}` : round.name,
      all: round.matches,
      matches: round.matches.filter(isFilled),
    })),
  );
  const later = rounds.flatMap(({ all }) => all.filter((match) => !isFilled(match) && !isBye(match))).length;
  return {
    rounds: rounds
      .filter(({ matches }) => matches.length > 0)
      .map(({ key, name, matches }) => ({ key, name, matches })),
    later,
  };
}
