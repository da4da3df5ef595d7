import { type Draft, firstToLeave, putMatch } from '@/domain/brackets/draw/draft';
import type { Departure, Match, Origin, Pair, Slot, SlotResult, Stage } from '@/domain/brackets/types';
import { isDecided, isReported, isRunning, isSame, loserOf } from './match-state';
import { decidedMatch, meetingOf, withOutcome } from './results';

/** A participant; null: nobody will come, a bye; undefined: not known yet. */
export type Occupant = string | null | undefined;

/** Finds who comes from a place of the stage before. */
export type Qualifier = (origin: Extract<Origin, { type: 'group' | 'standing' }>, slot: Slot) => Occupant;

/** Where a slot's participant comes from, also when nobody does. */
export function originOf(slot: Slot): Origin | null {
  return slot.source.type === 'bye' ? slot.source.of : slot.source;
}

/**
 * Works out a match from the matches before it. A reported result stays as long as the same two participants meet;
 * byes and the forfeits of those who departed follow from the rest. What an undone correction kept comes back where the same two meet,
 * also when one of them has left meanwhile, who only forfeits what was not played.
 */
export function settleMatch(draft: Draft, stage: Stage, match: Match, qualifier: Qualifier) {
  const occupants = [
    occupantOf(draft, match.slots[0], qualifier),
    occupantOf(draft, match.slots[1], qualifier),
  ] as const;
  const [first, second] = occupants;
  const isUnchanged = isFilledBy(match.slots[0], first) && isFilledBy(match.slots[1], second);
  const isPlayed = isReported(match) || isRunning(match);
  const result = isUnchanged && isPlayed ? undefined : draft.returning?.results.get(meetingOf(match.number, occupants));
  if (isUnchanged && !result && isSettled(draft, match, occupants)) return;
  const blank = {
    ...match,
    games: [],
    winnerId: null,
    decidedBy: null,
    slots: [slotFor(draft, match.slots[0], first), slotFor(draft, match.slots[1], second)] as const,
  };
  const settled = result
    ? decidedMatch(draft.bracket, blank, result)
    : decide(draft, stage, blank, occupants, isUnchanged ? match : null);
  if (!isSame(settled, match)) putMatch(draft, settled);
}

function isFilledBy({ participantId, source }: Slot, occupant: Occupant): boolean {
  return participantId === (occupant ?? null) && (source.type === 'bye') === (occupant === null);
}

/** Whether a match with these participants is as it should be without looking any further. */
function isSettled(draft: Draft, match: Match, [first, second]: Pair<Occupant>): boolean {
  if (first === undefined || second === undefined) return match.status === 'pending';
  if (first === null || second === null) return match.decidedBy === 'bye';
  if (isReported(match)) return true;
  const isOpen = match.status !== 'pending' && !isDecided(match);
  return isOpen && !draft.departures.has(first) && !draft.departures.has(second);
}

function decide(draft: Draft, stage: Stage, blank: Match, occupants: Pair<Occupant>, before: Match | null): Match {
  const [first, second] = occupants;
  if (first === undefined || second === undefined) return { ...blank, status: 'pending' };
  if (first === null || second === null) {
    const winnerId = first ?? second;
    return withOutcome({ ...blank, status: 'completed', decidedBy: 'bye' }, winnerId, ['win', 'win'], true);
  }
  const loserId = forfeitedBy(draft, stage, blank, [first, second]);
  if (loserId !== null) {
    const results: Pair<SlotResult> = loserId === first ? ['forfeit', 'win'] : ['win', 'forfeit'];
    return withOutcome(
      { ...blank, status: 'forfeited', decidedBy: 'departure' },
      loserId === first ? second : first,
      results,
    );
  }
  const isOpen = before !== null && before.status !== 'pending' && !isDecided(before);
  return { ...blank, status: isOpen ? before.status : 'ready' };
}

/**
 * Who forfeits a match because they have left. When both have, it is the first to leave: the other would have won the
 * match at the time, and goes on to forfeit the next.
 */
function forfeitedBy(draft: Draft, stage: Stage, match: Match, [first, second]: Pair<string>): string | null {
  const [one, other] = [draft.departures.get(first), draft.departures.get(second)];
  const departure = one && other ? firstToLeave(draft, one, other) : (one ?? other);
  if (!departure) return null;
  noteForfeit(draft, stage, match, departure);
  return departure.participantId;
}

/**
 * Who forfeits a match of an earlier Swiss round than the one they left in has left already then, since later rounds are drawn from it.
 * Elsewhere, they left when they did: deciding a reopened match as before is to send the same on.
 */
function noteForfeit(draft: Draft, stage: Stage, { round }: Match, departure: Departure) {
  const isEarlier = stage.number < departure.stage || (stage.number === departure.stage && round < departure.round);
  if (stage.type !== 'swiss' || !isEarlier) return;
  draft.departures.set(departure.participantId, { ...departure, stage: stage.number, round });
}

function slotFor(draft: Draft, slot: Slot, occupant: Occupant): Slot {
  const origin = originOf(slot);
  return {
    participantId: occupant ?? null,
    seed: occupant ? (draft.seeds.get(occupant) ?? null) : null,
    score: null,
    result: null,
    source: occupant === null || origin === null ? { type: 'bye', of: origin } : origin,
  };
}

function occupantOf(draft: Draft, slot: Slot, qualifier: Qualifier): Occupant {
  const origin = originOf(slot);
  if (origin === null) return null;
  switch (origin.type) {
    case 'seed':
      return draft.bracket.participants[origin.seed - 1]?.participantId ?? null;
    case 'pairing':
      return slot.participantId;
    case 'group':
    case 'standing':
      return qualifier(origin, slot);
    default: {
      const match = draft.matches.get(origin.match);
      if (!match || !isDecided(match)) return undefined;
      return origin.type === 'winner' ? match.winnerId : loserOf(match);
    }
  }
}
