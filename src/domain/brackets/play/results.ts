import { BracketError } from '@/domain/brackets/bracket-error';
import { gamesToWin } from '@/domain/brackets/draw/best-of';
import type { Bracket, Game, Match, Pair, Slot, SlotIndex, SlotResult } from '@/domain/brackets/types';

/** A game as reported. The winner follows from the scores unless it is given; null is a drawn game. */
export interface GameReport {
  readonly scores?: Pair<number> | null;
  readonly winner?: SlotIndex | null;
}

/**
 * What happened in a match, by slot. A score counts games won and follows from the games when they are given; a result
 * with neither names only the winner, as a ruling does.
 */
export interface PlayedResult {
  readonly type: 'played';
  readonly games?: readonly GameReport[];
  readonly score?: Pair<number>;
  readonly winnerId?: string | null;
}

/** One or both participants of a match forfeit it. */
export interface ForfeitResult {
  readonly type: 'forfeit';
  readonly participantIds: readonly string[];
}

export type MatchResult = PlayedResult | ForfeitResult;

/** What finds a result of those that a match may have, each with other participants, in slot order. */
export function meetingOf(number: number, [first, second]: Pair<string | null | undefined>): string {
  return [number, first, second].join(' ');
}

/** A result that a match had, and who met in it, in slot order. */
export interface KeptResult {
  readonly participantIds: Pair<string>;
  readonly result: MatchResult;
  /** Whether it comes back only where those two have no other result by now. */
  readonly givesWay?: boolean;
}

const invalid = (message: string) => new BracketError('INVALID_RESULT', message);

/**
 * The match with its result. Throws a BracketError INVALID_RESULT when the result cannot be one of this match: a score
 * that its best-of cannot end with, no winner where one is needed, somebody who is not in it.
 */
export function withResult(match: Match, result: MatchResult, needsWinner: boolean): Match {
  const cleared: Match = {
    ...match,
    games: [],
    winnerId: null,
    slots: [
      { ...match.slots[0], score: null, result: null },
      { ...match.slots[1], score: null, result: null },
    ],
  };
  return result.type === 'forfeit' ? withForfeit(cleared, result) : withScore(cleared, result, needsWinner);
}

/** A match of a bracket with its result. */
export function decidedMatch(bracket: Pick<Bracket, 'format' | 'options'>, match: Match, result: MatchResult): Match {
  if (match.slots.some(({ participantId }) => participantId === null)) {
    throw new BracketError('MATCH_NOT_READY', `Match ${match.number} does not have two participants`);
  }
  const { winsToAdvance } = bracket.options;
  const needsWinner = match.bracket !== 'group' || (bracket.format === 'swiss' && winsToAdvance !== null);
  return withResult(match, result, needsWinner);
}

/** The result that people reported for a match, as they would report it; null when nobody did. */
export function reportedResult({ decidedBy, slots, games, winnerId }: Match): MatchResult | null {
  if (decidedBy === 'forfeit') {
    const participantIds = slots.flatMap(({ participantId, result }) =>
      participantId !== null && result === 'forfeit' ? [participantId] : [],
    );
    return { type: 'forfeit', participantIds };
  }
  if (decidedBy !== 'result') return null;
  const [first, second] = slots.map(({ score }) => score);
  if (typeof first === 'number' && typeof second === 'number') return { type: 'played', score: [first, second], games };
  return { type: 'played', winnerId };
}

/** The match with who won it and the result of each slot; a bye leaves the empty slot without one. */
export function withOutcome(match: Match, winnerId: string | null, results: Pair<SlotResult>, isBye = false): Match {
  const slot = (at: 0 | 1): Slot => {
    const isEmpty = match.slots[at].participantId === null;
    return { ...match.slots[at], result: isBye && isEmpty ? null : results[at] };
  };
  return { ...match, winnerId, slots: [slot(0), slot(1)] };
}

function withForfeit(match: Match, { participantIds }: ForfeitResult): Match {
  const [first, second] = match.slots.map(({ participantId }) => participantId);
  const losing = new Set(participantIds);
  if (losing.size === 0 || [...losing].some((id) => id !== first && id !== second)) {
    throw invalid('Name one or both participants of the match');
  }
  const of = (id: string | null | undefined): SlotResult => (id && losing.has(id) ? 'forfeit' : 'win');
  const winnerId = losing.size === 2 ? null : ((first && losing.has(first) ? second : first) ?? null);
  return withOutcome({ ...match, status: 'forfeited', decidedBy: 'forfeit' }, winnerId, [of(first), of(second)]);
}

function withScore(match: Match, result: PlayedResult, needsWinner: boolean): Match {
  const games = (result.games ?? []).map(gameOf);
  const score = scoreOf(match, result, games);
  if (score) checkScore(score, match.bestOf, needsWinner);
  const ids = [match.slots[0].participantId, match.slots[1].participantId] as const;
  const winner = score ? leaderOf(score) : slotOfWinner(ids, result.winnerId);
  if (winner === null && needsWinner) throw invalid('The match needs a winner');
  const winnerId = winner === null ? null : ids[winner];
  if (result.winnerId !== undefined && result.winnerId !== winnerId) throw invalid('The winner does not fit the score');
  const slots = match.slots.map((slot, at) => ({ ...slot, score: score?.[at === 0 ? 0 : 1] ?? null }));
  const [first = match.slots[0], second = match.slots[1]] = slots;
  const results: Pair<SlotResult> =
    winner === null ? ['draw', 'draw'] : winner === 0 ? ['win', 'loss'] : ['loss', 'win'];
  const decided: Match = { ...match, status: 'completed', decidedBy: 'result', games, slots: [first, second] };
  return withOutcome(decided, winnerId, results);
}

function leaderOf([first, second]: Pair<number>): SlotIndex | null {
  if (first === second) return null;
  return first > second ? 0 : 1;
}

function slotOfWinner(ids: Pair<string | null>, winnerId: string | null | undefined): SlotIndex | null {
  if (winnerId === null) return null;
  if (winnerId === undefined) throw invalid('Give games, a score or a winner');
  if (winnerId === ids[0]) return 0;
  if (winnerId === ids[1]) return 1;
  throw invalid('The winner is not in the match');
}

function gameOf({ scores = null, winner }: GameReport): Game {
  if (scores?.some((score) => !Number.isFinite(score))) throw invalid('Scores must be numbers');
  if (winner !== undefined) return { scores, winner };
  if (!scores) throw invalid('A game needs scores or a winner');
  return { scores, winner: leaderOf(scores) };
}

function scoreOf(match: Match, result: PlayedResult, games: readonly Game[]): Pair<number> | null {
  if (games.length === 0) {
    const isSingleGame = match.bestOf === 1 && result.score === undefined && typeof result.winnerId === 'string';
    if (isSingleGame) return result.winnerId === match.slots[0].participantId ? [1, 0] : lostGame(match, result);
    return result.score ?? null;
  }
  const wins = (slot: SlotIndex) => games.filter(({ winner }) => winner === slot).length;
  const score = [wins(0), wins(1)] as const;
  if (result.score && (result.score[0] !== score[0] || result.score[1] !== score[1])) {
    throw invalid('The score does not fit the games');
  }
  return score;
}

function lostGame(match: Match, result: PlayedResult): Pair<number> | null {
  return result.winnerId === match.slots[1].participantId ? [0, 1] : null;
}

/** An odd best-of ends when one side has more than half; an even one is played out and may end level. */
function checkScore([first, second]: Pair<number>, bestOf: number, needsWinner: boolean) {
  if (![first, second].every((score) => Number.isInteger(score) && score >= 0)) {
    throw invalid('A score counts games won: whole numbers from 0');
  }
  const target = gamesToWin(bestOf);
  const most = bestOf % 2 === 0 ? bestOf : target;
  if (Math.max(first, second) > most || first + second > bestOf) {
    throw invalid(`A best of ${bestOf} cannot end ${first}–${second}`);
  }
  if (needsWinner && Math.max(first, second) < target) {
    throw invalid(`A best of ${bestOf} is not over at ${first}–${second}`);
  }
}
