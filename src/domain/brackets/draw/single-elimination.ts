import { standardOrder } from './seed-order';
import type { TreeMatch, TreeRef } from './tree';

/**
 * The tree of a single elimination with `size` lines, a power of two. The final has the bracket `final`, the match for
 * third place `losers`; rounds before the final are `winners`.
 */
export function singleEliminationTree(size: number, thirdPlace: boolean): TreeMatch[] {
  const tree: TreeMatch[] = [];
  let refs: TreeRef[] = standardOrder(size).map((seed) => ({ seed }));
  for (let round = 1; refs.length > 1; round++) {
    const isFinal = refs.length === 2;
    const isSemifinal = refs.length === 4;
    const pairs = pairUp(refs).map((slots, at) => ({
      key: isFinal ? 'F' : `W${round}-${at}`,
      bracket: isFinal ? ('final' as const) : ('winners' as const),
      round: isFinal ? 1 : round,
      slots,
      winnerRank: isFinal ? 1 : null,
      loserRank: isSemifinal && thirdPlace ? null : refs.length / 2 + 1,
    }));
    tree.push(...pairs);
    if (isSemifinal && thirdPlace) {
      const [first, second] = pairs.map(({ key }) => ({ loser: key }));
      if (first && second) {
        const slots = [first, second] as const;
        tree.push({ key: 'T', bracket: 'losers', round: 1, slots, winnerRank: 3, loserRank: 4 });
      }
    }
    refs = pairs.map(({ key }) => ({ winner: key }));
  }
  return tree;
}

/** Neighbors as pairs; the list has an even length. */
export function pairUp<T>(items: readonly T[]): (readonly [T, T])[] {
  const pairs: (readonly [T, T])[] = [];
  for (const [at, item] of items.entries()) {
    const next = items[at + 1];
    if (at % 2 === 0 && next !== undefined) pairs.push([item, next]);
  }
  return pairs;
}
