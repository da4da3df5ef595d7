import type { CompleteOptions, KnockoutFormat, Match, Origin } from '@/domain/brackets/types';
import { bestOfFor } from './best-of';
import { doubleEliminationTree, resetOf, withReset } from './double-elimination';
import { bracketSize } from './seed-order';
import { singleEliminationTree } from './single-elimination';
import { placeTree } from './tree';

interface KnockoutPlan {
  readonly type: KnockoutFormat;
  readonly stage: number;
  readonly firstNumber: number;
  /** Who takes each seed, index 0 being seed 1; seeds beyond the list are byes. */
  readonly entries: readonly Origin[];
}

/** The matches of a single or double elimination; none for fewer than two entries. */
export function knockoutMatches(options: CompleteOptions, plan: KnockoutPlan): Match[] {
  const { type, stage, firstNumber, entries } = plan;
  if (entries.length < 2) return [];
  const size = bracketSize(entries.length);
  const isDouble = type === 'double_elimination';
  const tree = isDouble
    ? doubleEliminationTree(size)
    : singleEliminationTree(size, options.thirdPlace && entries.length >= 4);
  const rounds = { winners: 0, losers: 0, final: 1, group: 0 };
  for (const { bracket, round } of tree) rounds[bracket] = Math.max(rounds[bracket], round);
  const hasReset = isDouble && options.grandFinalReset;
  if (hasReset) rounds.final = 2;
  const matches = placeTree(tree, {
    stage,
    group: null,
    firstNumber,
    entry: (seed) => entries[seed - 1] ?? null,
    bestOf: ({ bracket, round }) => bestOfFor(options, { bracket, round, rounds: rounds[bracket] }),
  });
  const grandFinal = matches.at(-1);
  if (!hasReset || !grandFinal) return matches;
  return [...matches.slice(0, -1), withReset(grandFinal), resetOf(grandFinal, resetBestOf(options))];
}

/** Games of the reset of a grand final, its second round. */
export function resetBestOf(options: CompleteOptions): number {
  return bestOfFor(options, { bracket: 'final', round: 2, rounds: 2 });
}
