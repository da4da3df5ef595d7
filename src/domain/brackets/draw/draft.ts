import { isDecided } from '@/domain/brackets/play/match-state';
import type { MatchResult } from '@/domain/brackets/play/results';
import type { Bracket, Departure, Match, Stage } from '@/domain/brackets/types';

/** What comes back when a correction is undone. */
export interface Returning {
  /** Results, where the same two meet, by `meetingOf`. */
  readonly results: ReadonlyMap<string, MatchResult>;
  /** Places of the Swiss standings that enter the playoffs, in the order of their slots; null: as they are drawn. */
  readonly entries: readonly number[] | null;
}

/** A bracket being worked out: a copy whose rows are replaced, never changed, so that the original stays as it was. */
export interface Draft {
  readonly bracket: Bracket;
  readonly matches: Map<number, Match>;
  readonly stages: Map<number, Stage>;
  readonly departures: Map<string, Departure>;
  readonly seeds: ReadonlyMap<string, number>;
  /** Stages of which a match changed, came or went. */
  readonly touched: Set<number>;
  /** Null: nothing is undone. */
  readonly returning: Returning | null;
}

export function openDraft(bracket: Bracket, returning: Draft['returning'] = null): Draft {
  return {
    bracket,
    matches: new Map(bracket.matches.map((match) => [match.number, match])),
    stages: new Map(bracket.stages.map((stage) => [stage.number, stage])),
    departures: new Map(bracket.departures.map((departure) => [departure.participantId, departure])),
    seeds: new Map(bracket.participants.map(({ participantId, seed }) => [participantId, seed])),
    touched: new Set(),
    returning,
  };
}

export function closeDraft(draft: Draft): Bracket {
  return {
    ...draft.bracket,
    stages: [...draft.stages.values()],
    matches: [...draft.matches.values()].sort((a, b) => a.number - b.number),
    departures: [...draft.departures.values()].sort(byTime),
  };
}

/** Order in which participants left; those who left in the same round of a stage keep the order they are stored in. */
function byTime(a: Departure, b: Departure): number {
  return a.stage - b.stage || a.round - b.round;
}

/** Which of two who have left did so first. */
export function firstToLeave(draft: Draft, a: Departure, b: Departure): Departure {
  const order = [...draft.departures.keys()];
  const difference = byTime(a, b) || order.indexOf(a.participantId) - order.indexOf(b.participantId);
  return difference < 0 ? a : b;
}

export function putMatch(draft: Draft, match: Match) {
  if (draft.matches.get(match.number) === match) return;
  draft.matches.set(match.number, match);
  draft.touched.add(match.stage);
}

export function removeMatch(draft: Draft, match: Match) {
  draft.matches.delete(match.number);
  draft.touched.add(match.stage);
}

/** Matches of a stage in the order of their numbers. */
export function stageMatches(draft: Draft, stage: number): Match[] {
  const matches: Match[] = [];
  for (const match of draft.matches.values()) if (match.stage === stage) matches.push(match);
  return matches.sort((a, b) => a.number - b.number);
}

export function lastNumber(draft: Draft): number {
  let last = 0;
  for (const number of draft.matches.keys()) last = Math.max(last, number);
  return last;
}

export function areAllDecided(matches: readonly Match[]): boolean {
  return matches.every(isDecided);
}
