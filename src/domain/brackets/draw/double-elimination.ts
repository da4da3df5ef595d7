import type { Match, Stage } from '@/domain/brackets/types';
import { standardOrder } from './seed-order';
import { pairUp } from './single-elimination';
import { emptySlot, newMatch, type TreeMatch, type TreeRef } from './tree';

/**
 * The order in which the losers of a winners' round enter the losers' bracket: reversed in the second round, reversed
 * within halves in the third, halves swapped in the fourth, natural in the fifth, and so on from the beginning. It keeps
 * rematches as late as the large osu! and fighting game events do.
 */
function dropOrder<T>(losers: readonly T[], winnersRound: number): T[] {
  const half = losers.length / 2;
  if (losers.length < 2) return [...losers];
  switch ((winnersRound - 2) % 4) {
    case 0:
      return losers.toReversed();
    case 1:
      return [...losers.slice(0, half).toReversed(), ...losers.slice(half).toReversed()];
    case 2:
      return [...losers.slice(half), ...losers.slice(0, half)];
    default:
      return [...losers];
  }
}

/**
 * The tree of a double elimination with `size` lines, a power of two, in playing order: W1, L1, W2, L2, L3, W3, …,
 * and the grand final. A reset is not part of the tree: see `resetOf`.
 */
export function doubleEliminationTree(size: number): TreeMatch[] {
  const tree: TreeMatch[] = [];
  const addRound = (side: 'winners' | 'losers', round: number, refs: readonly TreeRef[], loserRank: number | null) => {
    const prefix = side === 'winners' ? 'W' : 'L';
    const added = pairUp(refs).map((slots, at): TreeMatch => {
      return { key: `${prefix}${round}-${at}`, bracket: side, round, slots, winnerRank: null, loserRank };
    });
    tree.push(...added);
    return added.map(({ key }) => key);
  };
  const losersRank = losersRanks(size);
  let winners = addRound(
    'winners',
    1,
    standardOrder(size).map((seed) => ({ seed })),
    null,
  );
  let losersRound = 0;
  let survivors: TreeRef[] = winners.map((key) => ({ loser: key }));
  const playLosers = (refs: readonly TreeRef[]) => {
    losersRound++;
    const keys = addRound('losers', losersRound, refs, losersRank[losersRound - 1] ?? null);
    survivors = keys.map((key) => ({ winner: key }));
  };
  for (let round = 2; winners.length > 1; round++) {
    playLosers(survivors);
    winners = addRound(
      'winners',
      round,
      winners.map((key) => ({ winner: key })),
      null,
    );
    const dropped = dropOrder(winners, round).map((key): TreeRef => ({ loser: key }));
    playLosers(dropped.flatMap((ref, at) => [ref, ...survivors.slice(at, at + 1)]));
  }
  const [champion, challenger] = [winners[0], survivors[0]];
  if (champion === undefined || challenger === undefined) return tree;
  const slots = [{ winner: champion }, challenger] as const;
  return [...tree, { key: 'GF', bracket: 'final', round: 1, slots, winnerRank: 1, loserRank: 2 }];
}

/** Final place of the losers of each round of the losers' bracket: …, 7, 5, 4, 3. */
function losersRanks(size: number): number[] {
  const ranks: number[] = [];
  let rank = 3;
  for (let matches = 1; matches < size / 2; matches *= 2) {
    ranks.unshift(rank + matches, rank);
    rank += matches * 2;
  }
  return ranks;
}

/** Whether a match is the grand final that a reset may follow, or that reset. */
export function grandFinalPart(stage: Pick<Stage, 'type'>, match: Match): 'grand_final' | 'reset' | null {
  if (stage.type !== 'double_elimination' || match.bracket !== 'final') return null;
  return match.round === 1 ? 'grand_final' : 'reset';
}

/** The second match of a grand final, played when the champion of the losers' bracket won the first. */
export function resetOf(grandFinal: Match, bestOf: number): Match {
  const { number, stage, group } = grandFinal;
  return newMatch({
    number: number + 1,
    stage,
    group,
    round: 2,
    bracket: 'final',
    bestOf,
    slots: [emptySlot({ type: 'loser', match: number }), emptySlot({ type: 'winner', match: number })],
    winnerRank: 1,
    loserRank: 2,
  });
}

/** A grand final that a reset may follow. */
export function withReset(grandFinal: Match): Match {
  const match = grandFinal.number + 1;
  return { ...grandFinal, loserTo: { match, slot: 0 }, winnerTo: { match, slot: 1 } };
}

/** Whether the reset is part of the bracket: until the grand final is decided, and when its lower side won it. */
export function isResetPossible(grandFinal: Match): boolean {
  const [upper, lower] = grandFinal.slots;
  if (grandFinal.status !== 'completed' && grandFinal.status !== 'forfeited') return true;
  return upper.participantId !== null && grandFinal.winnerId !== null && grandFinal.winnerId === lower.participantId;
}
