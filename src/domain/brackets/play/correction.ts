import { BracketError } from '@/domain/brackets/bracket-error';
import type { Bracket, Match, Pair } from '@/domain/brackets/types';
import { isDecided, isReported } from './match-state';
import { matchesOf } from './outcomes';
import { type Change, changeTo, isSameMatch } from './patch';
import { decideMatch, findMatch, findStage, isRunning, replaceMatch } from './progress';
import type { MatchResult } from './results';
import { settle } from './settle';

/**
 * What a correction does to another match: somebody else plays in it (`advances_other`), it loses its result or a
 * participant (`cleared`), it is to be played after all (`reopened`), or it is gone (`removed`).
 */
export type AffectedChange = 'advances_other' | 'cleared' | 'reopened' | 'removed';

export interface AffectedMatch {
  readonly match: number;
  readonly change: AffectedChange;
  /** Whether people had reported a result that is lost. */
  readonly losesResult: boolean;
  readonly participantsBefore: Pair<string | null>;
  /** Null when the match is gone. */
  readonly participantsAfter: Pair<string | null> | null;
}

/** Why a correction is refused: an affected match is being played, or the bracket has gone on without the participant. */
export type RefusalReason = 'AFFECTED_MATCH_IN_PROGRESS' | 'PLAYED_PAST';

export type Correction =
  | ({ readonly allowed: true; readonly affected: readonly AffectedMatch[] } & Change)
  | { readonly allowed: false; readonly affected: readonly AffectedMatch[]; readonly reason: RefusalReason };

export interface CorrectionOptions {
  /**
   * What becomes of the Swiss rounds after the corrected one when its outcome changes. `redraw` (default): they are
   * drawn again, a round that comes out the same is kept. `keep`: their pairings and results stand. Counter-Strike
   * Major rules always redraw, since records decide who plays at all.
   */
  readonly laterRounds?: 'redraw' | 'keep';
}

/**
 * Replaces the result of a decided match, played past or not. A preview and the cascade in one: what it affects, and
 * the change unless it is refused because an affected match is in progress or disputed. Nothing is written anywhere.
 * Throws a BracketError: UNKNOWN_MATCH, MATCH_NOT_DECIDED, MATCH_NOT_READY (a bye), INVALID_RESULT.
 */
export function correct(
  bracket: Bracket,
  number: number,
  result: MatchResult,
  { laterRounds = 'redraw' }: CorrectionOptions = {},
): Correction {
  const match = findMatch(bracket, number);
  if (!isDecided(match)) throw new BracketError('MATCH_NOT_DECIDED', `Match ${number} has no result to correct`);
  const decided = decideMatch(bracket, match, result);
  const isKept = laterRounds === 'keep' && bracket.options.winsToAdvance === null;
  const redraws = !isKept && outcomeOf(findMatch(decided, number)) !== outcomeOf(match);
  return review(bracket, resettle(decided, match, redraws), number);
}

/**
 * Takes the result of a match back so that it is to be played again. Throws a BracketError: UNKNOWN_MATCH,
 * MATCH_NOT_DECIDED (also for a bye or the forfeit of somebody who has left, which nobody reported).
 */
export function reopen(bracket: Bracket, number: number): Correction {
  const match = findMatch(bracket, number);
  if (!isDecided(match) || !isReported(match)) {
    throw new BracketError('MATCH_NOT_DECIDED', `Match ${number} has no reported result`);
  }
  const [first, second] = match.slots;
  const open: Match = {
    ...match,
    status: 'ready',
    decidedBy: null,
    games: [],
    winnerId: null,
    slots: [
      { ...first, score: null, result: null },
      { ...second, score: null, result: null },
    ],
  };
  return review(bracket, resettle(replaceMatch(bracket, open), match, true), null);
}

/**
 * Brings a withdrawn or disqualified participant back: forfeits that their departure caused are to be played. Refused
 * when the bracket has gone on without them. Throws a BracketError NOT_DEPARTED.
 */
export function reinstate(bracket: Bracket, participantId: string): Correction {
  const departure = bracket.departures.find((one) => one.participantId === participantId);
  if (!departure) throw new BracketError('NOT_DEPARTED', 'They have not left');
  const stage = findStage(bracket, departure.stage);
  // Of hundreds who are asked for at once, nothing is worked out that cannot change the answer.
  if (stage.type === 'swiss' && (matchesOf(bracket, stage).at(-1)?.round ?? 0) > departure.round) {
    return { allowed: false, affected: [], reason: 'PLAYED_PAST' };
  }
  const departures = bracket.departures.filter((one) => one !== departure);
  const correction = review(bracket, settle({ ...bracket, departures }, departure.stage), null);
  if (correction.allowed && correction.affected.some(({ losesResult }) => losesResult)) {
    return { allowed: false, affected: correction.affected, reason: 'PLAYED_PAST' };
  }
  return correction;
}

function resettle(bracket: Bracket, match: Match, redraws: boolean): Bracket {
  const isSwiss = findStage(bracket, match.stage).type === 'swiss';
  const redraw = { stage: match.stage, afterRound: match.round, before: match };
  return settle(bracket, match.stage, isSwiss && redraws ? redraw : null);
}

/** What a match means for a table: its winner, a draw, or a loss for both. */
function outcomeOf({ winnerId, slots }: Match): string {
  return winnerId ?? (slots[0].result === 'draw' ? 'draw' : 'none');
}

function review(before: Bracket, after: Bracket, corrected: number | null): Correction {
  const all = affectedMatches(before, after);
  const affected = all.filter(({ match }) => match !== corrected);
  const running = new Set(before.matches.filter(isRunning).map(({ number }) => number));
  if (affected.some(({ match }) => running.has(match))) {
    return { allowed: false, affected, reason: 'AFFECTED_MATCH_IN_PROGRESS' };
  }
  return { allowed: true, affected, ...changeTo(before, after) };
}

const participantsOf = ({ slots }: Match) => [slots[0].participantId, slots[1].participantId] as const;

/** Every match that two states of a tournament disagree about, in the order of their numbers. */
function affectedMatches(before: Bracket, after: Bracket): AffectedMatch[] {
  const current = new Map(after.matches.map((match) => [match.number, match]));
  const known = new Set(before.matches.map(({ number }) => number));
  const affected = before.matches.flatMap((match): AffectedMatch[] => {
    const now = current.get(match.number);
    const isGone = now === undefined || !isSameMatch(match, now);
    const change = isGone ? 'removed' : changeOf(match, now);
    if (change === null) return [];
    return [
      {
        match: match.number,
        change,
        losesResult: isReported(match),
        participantsBefore: participantsOf(match),
        participantsAfter: isGone ? null : participantsOf(now),
      },
    ];
  });
  const isReset = ({ slots }: Match) => slots[0].source.type === 'loser' && slots[1].source.type === 'winner';
  const resets = after.matches.filter(
    (match) => !known.has(match.number) && match.bracket === 'final' && isReset(match),
  );
  const added = resets.map((match): AffectedMatch => {
    const none = [null, null] as const;
    const participantsAfter = participantsOf(match);
    return { match: match.number, change: 'reopened', losesResult: false, participantsBefore: none, participantsAfter };
  });
  return [...affected, ...added].sort((a, b) => a.match - b.match);
}

function changeOf(before: Match, after: Match): AffectedChange | null {
  const [was, is] = [participantsOf(before), participantsOf(after)];
  if (was[0] !== is[0] || was[1] !== is[1]) {
    const losesSomebody = is.some((id, at) => id === null && was[at === 0 ? 0 : 1] !== null);
    return isReported(before) || isRunning(before) || losesSomebody ? 'cleared' : 'advances_other';
  }
  if (isDecided(before) && !isDecided(after)) return 'reopened';
  // The same two meet again in a round that is drawn again, from the start.
  if (isRunning(before) && after.status === 'ready') return 'cleared';
  return isDecided(after) && !isDecided(before) ? 'advances_other' : null;
}
