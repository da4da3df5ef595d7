import { apply } from './play/progress';
import type { MatchResult } from './play/results';
import type { Bracket, Match } from './types';

/** Participant ids `p1` to `p<count>`, p1 being seed 1. */
export const ids = (count: number) => Array.from({ length: count }, (_, at) => `p${at + 1}`);

/** Freezes a value and everything in it, so that changing it throws. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) deepFreeze(part);
  }
  return value;
}

/** The match of these two participants that waits for a result, or that has one. */
export function matchOf(bracket: Bracket, one: string, other: string, where: Partial<Match> = {}): Match {
  const match = bracket.matches.find((candidate) => {
    const present = candidate.slots.map(({ participantId }) => participantId);
    const fits = Object.entries(where).every(([key, value]) => candidate[key as keyof Match] === value);
    return fits && present.includes(one) && present.includes(other);
  });
  if (!match) throw new Error(`${one} and ${other} do not meet`);
  return match;
}

export function report(bracket: Bracket, match: number, result: MatchResult): Bracket {
  return apply(bracket, { type: 'result', match, result }).bracket;
}

/** Reports a score given in the order of two participants, whichever slots they are in. */
export function reportScore(bracket: Bracket, match: Match, one: string, score: readonly [number, number]): Bracket {
  const isInOrder = match.slots[0].participantId === one;
  return report(bracket, match.number, { type: 'played', score: isInOrder ? score : [score[1], score[0]] });
}

export function reportWinner(bracket: Bracket, match: Match, winnerId: string | null | undefined): Bracket {
  return report(bracket, match.number, { type: 'played', winnerId: winnerId ?? null });
}

/** Plays every open match that `isPlayed`, in the order of numbers, until none is left; `pick` names the slot that wins. */
export function playOut(
  start: Bracket,
  pick: (match: Match) => 0 | 1 = bySeed,
  isPlayed: (match: Match) => boolean = () => true,
): Bracket {
  let bracket = start;
  for (;;) {
    const match = bracket.matches.find((one) => one.status === 'ready' && isPlayed(one));
    if (!match) return bracket;
    bracket = reportWinner(bracket, match, match.slots[pick(match)].participantId);
  }
}

/** The better seed wins. */
export function bySeed({ slots }: Match): 0 | 1 {
  return (slots[0].seed ?? 0) < (slots[1].seed ?? 0) ? 0 : 1;
}
