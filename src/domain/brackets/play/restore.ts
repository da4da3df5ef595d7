import type { Bracket, Match, Pair } from '@/domain/brackets/types';
import { decidedMatch } from './progress';
import type { MatchResult } from './results';
import { settle } from './settle';

/** A result that a match had, and who met in it, in slot order. */
export interface KeptResult {
  readonly participantIds: Pair<string | null>;
  readonly result: MatchResult;
}

/** A bracket with results that are back, and the numbers of their matches in order. */
export interface Restoration {
  readonly bracket: Bracket;
  readonly restored: readonly number[];
}

/**
 * The bracket with every kept result back whose match is open, or opens with the others, and has the same participants; also where one of
 * them has left meanwhile, who only forfeits what was not played. It is what `apply` makes of them one by one in the order of their matches, worked out once for all that are open at a
 * time. Throws a BracketError INVALID_RESULT when one cannot be a result of its match any more.
 */
export function restoreResults(bracket: Bracket, kept: ReadonlyMap<number, KeptResult>): Restoration {
  const waiting = new Map(kept);
  const restored: number[] = [];
  let current = bracket;
  for (;;) {
    const decided = new Map<number, Match>();
    for (const match of current.matches) {
      const one = waiting.get(match.number);
      if (one && isRestorable(match, one)) decided.set(match.number, decidedMatch(current, match, one.result));
    }
    if (decided.size === 0) return { bracket: current, restored: restored.sort((a, b) => a - b) };
    restored.push(...decided.keys());
    for (const number of decided.keys()) waiting.delete(number);
    const matches = current.matches.map((match) => decided.get(match.number) ?? match);
    current = settle({ ...current, matches }, Math.min(...[...decided.values()].map(({ stage }) => stage)));
  }
}

function isRestorable({ status, decidedBy, slots }: Match, { participantIds }: KeptResult): boolean {
  const isOpen = status === 'ready' || status === 'scheduled' || decidedBy === 'departure';
  return isOpen && slots.every(({ participantId }, at) => participantId === participantIds[at]);
}
