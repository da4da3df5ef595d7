import type { BracketSide, CompleteOptions } from '@/domain/brackets/types';

/** Where a match is, in the words of a best-of override. */
export interface RoundAddress {
  readonly bracket: BracketSide;
  readonly round: number;
  /** Number of rounds of that bracket. */
  readonly rounds: number;
}

/** The number of games of a match: the last override that fits it, otherwise the option `bestOf`. */
export function bestOfFor(options: Pick<CompleteOptions, 'bestOf' | 'bestOfOverrides'>, address: RoundAddress): number {
  const override = options.bestOfOverrides.findLast(
    ({ bracket, round, roundsFromEnd }) =>
      bracket === address.bracket &&
      (round === undefined || round === address.round) &&
      (roundsFromEnd === undefined || roundsFromEnd === address.rounds - address.round + 1),
  );
  return override?.bestOf ?? options.bestOf;
}

/** Games that win a match of `bestOf` games. */
export function gamesToWin(bestOf: number): number {
  return Math.floor(bestOf / 2) + 1;
}

/** Games a bye or a forfeit is won with: ceil(bestOf / 2) to none. */
export function gamesOfWalkover(bestOf: number): number {
  return Math.ceil(bestOf / 2);
}
