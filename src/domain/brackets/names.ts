import { groupName, gslRound } from './draw/groups';
import type { BracketSide, Match, Source, Stage } from './types';

/** What people call a stage. A tournament's only stage is known by its format and needs no name of its own. */
export function stageName(stage: Pick<Stage, 'number' | 'type'>): string {
  if (stage.type === 'swiss') return 'Swiss stage';
  if (stage.number > 1) return 'Playoffs';
  return stage.type === 'round_robin' || stage.type === 'gsl' ? 'Group stage' : 'Bracket';
}

export interface RoundPlace {
  readonly bracket: BracketSide;
  readonly round: number;
  /** Number of rounds of that bracket in the stage, or in the group. */
  readonly rounds: number;
}

/** What people call a round: "Quarterfinals", "Losers’ round 2", "Grand final reset". */
export function roundName(type: Stage['type'], { bracket, round, rounds }: RoundPlace): string {
  switch (type) {
    case 'single_elimination':
      return singleEliminationRound(bracket, round, rounds);
    case 'double_elimination':
      return doubleEliminationRound(bracket, round, rounds);
    case 'gsl':
      return gslRoundName(bracket, round);
    case 'custom':
      return bracket === 'final' ? 'Final' : `Round ${round}`;
    default:
      return `Round ${round}`;
  }
}

function singleEliminationRound(bracket: BracketSide, round: number, rounds: number): string {
  if (bracket === 'final') return 'Final';
  if (bracket === 'losers') return 'Third-place match';
  const fromEnd = rounds - round;
  if (fromEnd === 0) return 'Semifinals';
  return fromEnd === 1 ? 'Quarterfinals' : `Round of ${2 ** (fromEnd + 2)}`;
}

function doubleEliminationRound(bracket: BracketSide, round: number, rounds: number): string {
  if (bracket === 'final') return round === 1 ? 'Grand final' : 'Grand final reset';
  const side = bracket === 'losers' ? 'Losers’' : 'Winners’';
  if (round === rounds) return `${side} final`;
  if (bracket === 'winners' && round === rounds - 1) return `${side} semifinals`;
  return `${side} round ${round}`;
}

function gslRoundName(bracket: BracketSide, round: number): string {
  const names = ['Opening matches', bracket === 'winners' ? 'Winners’ match' : 'Losers’ match', 'Decider'];
  return names[gslRound({ bracket, round }) - 1] ?? `Round ${round}`;
}

/** Name of the round that a match of a stage is in, given all matches of the stage. */
export function roundNameOf(stage: Pick<Stage, 'type'>, match: Match, matches: readonly Match[]): string {
  const sameBracket = matches.filter((one) => one.bracket === match.bracket && one.group === match.group);
  const rounds = Math.max(match.round, ...sameBracket.map(({ round }) => round));
  return roundName(stage.type, { bracket: match.bracket, round: match.round, rounds });
}

/** Where the participant of an empty slot will come from: `Winner of M12`, `Group A, place 2`. */
export function sourceName(source: Source): string {
  switch (source.type) {
    case 'winner':
      return `Winner of M${source.match}`;
    case 'loser':
      return `Loser of M${source.match}`;
    case 'group':
      return `Group ${groupName(source.group)}, place ${source.rank}`;
    case 'standing':
      return `Place ${source.rank} in the standings`;
    case 'seed':
      return `Seed ${source.seed}`;
    case 'bye':
      return 'Bye';
    case 'pairing':
      return 'To be drawn';
  }
}
