import type { BracketSide, Match, Origin, Slot, SlotAddress, SlotIndex, Source } from '@/domain/brackets/types';

/** Where a participant of a tree's match comes from: a seed of the stage, or another match of the tree by its key. */
export type TreeRef =
  | { readonly seed: number }
  | { readonly winner: string }
  | { readonly loser: string }
  | { readonly bye: true };

export interface TreeMatch {
  /** Unique in the tree. */
  readonly key: string;
  readonly bracket: BracketSide;
  readonly round: number;
  readonly slots: readonly [TreeRef, TreeRef];
  /** Final place of the winner or loser when they leave the stage here. */
  readonly winnerRank: number | null;
  readonly loserRank: number | null;
}

export interface TreePlacement {
  readonly stage: number;
  readonly group: number | null;
  readonly firstNumber: number;
  /** Who takes a seed of the tree; null: nobody, a bye. */
  readonly entry: (seed: number) => Origin | null;
  readonly bestOf: (match: TreeMatch) => number;
}

const BYE: Source = { type: 'bye', of: null };

export function emptySlot(source: Source): Slot {
  return { participantId: null, seed: null, score: null, result: null, source };
}

/** A match without participants or result; the rest is given. */
export function newMatch(
  fixed: Pick<Match, 'number' | 'stage' | 'group' | 'round' | 'bracket' | 'bestOf' | 'slots'> & Partial<Match>,
): Match {
  return {
    status: 'pending',
    decidedBy: null,
    games: [],
    winnerId: null,
    winnerTo: null,
    loserTo: null,
    winnerRank: null,
    loserRank: null,
    ...fixed,
  };
}

/**
 * Turns a tree into matches with numbers and edges. The tree is in playing order, so that every match comes after those
 * that feed it. A match that nobody can ever reach is left out, and its place in the next match is a bye.
 */
export function placeTree(tree: readonly TreeMatch[], placement: TreePlacement): Match[] {
  const kept = new Map<string, number>();
  const byeMatches = new Set<string>();
  const matches: Match[] = [];
  const feeds = { winner: new Map<number, SlotAddress>(), loser: new Map<number, SlotAddress>() };

  const sourceOf = (ref: TreeRef): Source => {
    if ('bye' in ref) return BYE;
    if ('seed' in ref) return placement.entry(ref.seed) ?? BYE;
    const key = 'winner' in ref ? ref.winner : ref.loser;
    const match = kept.get(key);
    if (match === undefined || ('loser' in ref && byeMatches.has(key))) return BYE;
    return { type: 'winner' in ref ? 'winner' : 'loser', match };
  };

  for (const node of tree) {
    const sources = [sourceOf(node.slots[0]), sourceOf(node.slots[1])] as const;
    const byes = sources.filter(({ type }) => type === 'bye').length;
    if (byes === 2) continue;
    if (byes === 1) byeMatches.add(node.key);
    const number = placement.firstNumber + matches.length;
    kept.set(node.key, number);
    for (const [slot, source] of sources.entries()) {
      if (source.type !== 'winner' && source.type !== 'loser') continue;
      feeds[source.type].set(source.match, { match: number, slot: slot as SlotIndex });
    }
    matches.push(
      newMatch({
        number,
        stage: placement.stage,
        group: placement.group,
        round: node.round,
        bracket: node.bracket,
        bestOf: placement.bestOf(node),
        slots: [emptySlot(sources[0]), emptySlot(sources[1])],
        winnerRank: node.winnerRank,
        loserRank: node.loserRank,
      }),
    );
  }
  return matches.map((match) => ({
    ...match,
    winnerTo: feeds.winner.get(match.number) ?? null,
    loserTo: feeds.loser.get(match.number) ?? null,
  }));
}
