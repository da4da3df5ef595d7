import { BracketError } from '@/domain/brackets/bracket-error';
import type { Bracket, Departure, Match, Pair } from '@/domain/brackets/types';
import { isDecided, isReported, isRunning, isSame } from './match-state';
import { matchesOf } from './outcomes';
import { type Change, changeTo, isSameMatch } from './patch';
import { findMatch, findStage, replaceMatch } from './progress';
import { decidedMatch, type KeptResult, type MatchResult, meetingOf, reportedResult } from './results';
import { entryOrigins, type Redraw, settle } from './settle';

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
  const decided = decidedMatch(bracket, match, result);
  const isKept = laterRounds === 'keep' && bracket.options.winsToAdvance === null;
  const redraw = isKept ? null : redrawOf(bracket, match, decided);
  return review(bracket, settle(replaceMatch(bracket, decided), match.stage, redraw), number);
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
  const open = openMatch(match);
  return review(bracket, settle(replaceMatch(bracket, open), match.stage, redrawOf(bracket, match, open)), null);
}

type Meeting = { readonly participantIds: readonly (string | null)[]; readonly givesWay?: boolean };

/** What a change deleted, with what is kept of a result. */
export interface Deleted<T extends Meeting> {
  /** The results that matches lost, by number. */
  readonly kept: ReadonlyMap<number, T>;
  /** All departures as they were; null: they did not change. */
  readonly departures: readonly Departure[] | null;
  /** Who entered the playoffs after a Swiss stage (`changedEntries`); null: that did not change. */
  readonly entries: readonly number[] | null;
}

/** What a correction or a reopening of a match changed, as far as it does not follow from the rest. */
export interface Changed extends Deleted<KeptResult> {
  readonly number: number;
  /** The result that the match had; null: nobody had reported it. */
  readonly result: MatchResult | null;
  /** Whether it was reopened and has been decided again: rounds have been drawn with that, even where it is the same. */
  readonly isAgain?: boolean;
}

/** The places of the standings that entered playoffs before a change, in the order of their slots; null: as after it, or nobody did. */
export function changedEntries(before: Bracket, after: Bracket): number[] | null {
  const [were, are] = [playoffEntries(before), playoffEntries(after)];
  return were.length === 0 || isSame(were, are) ? null : were;
}

function playoffEntries({ matches }: Bracket): number[] {
  return entryOrigins(matches).flatMap((origin) => (origin.type === 'standing' ? [origin.rank] : []));
}

/**
 * Takes a correction or a reopening back: its match has the result that it had, and so have the matches that lost theirs, where the
 * same two meet again, in playoffs that are seeded as before. That goes before what those two have played since, unless it gives way:
 * otherwise they could keep later rounds from everybody else. What others have played since stays where they still meet, and who has
 * left since is still gone.
 * Throws a BracketError INVALID_RESULT when a result cannot be one of its match any more.
 */
export function undo(
  bracket: Bracket,
  { number, result, kept, departures, entries, isAgain = false }: Changed,
): Correction {
  const match = findMatch(bracket, number);
  const open = openMatch(match);
  const was = result ? decidedMatch(bracket, open, result) : open;
  const results = new Map<string, MatchResult>();
  const givingWay = new Set<string>();
  for (const [one, { participantIds, result: lost, givesWay }] of kept) {
    const meeting = meetingOf(one, participantIds);
    results.set(meeting, lost);
    if (givesWay) givingWay.add(meeting);
  }
  let isSetBack = false;
  const matches = bracket.matches.map((one) => {
    const played = one === match ? null : reportedResult(one);
    if (!played) return one === match ? was : one;
    const meeting = meetingOf(one.number, participantsOf(one));
    const lost = givingWay.has(meeting) ? undefined : results.get(meeting);
    // Swiss rounds that are drawn again may pair the same two once more.
    if (!lost) results.set(meeting, played);
    if (!lost || isSame(lost, played)) return one;
    const setBack = decidedMatch(bracket, openMatch(one), lost);
    isSetBack ||= outcomeOf(setBack) !== outcomeOf(one);
    return setBack;
  });
  const redraw = redrawOf(bracket, match, was, departures !== null || isAgain || isSetBack);
  const before = { ...bracket, matches, departures: returnedTo(departures ?? bracket.departures, bracket.departures) };
  return review(bracket, settle(before, match.stage, redraw, { results, entries }), number);
}

/**
 * What the next change to be undone brings back once one that was made before it is undone: also what that one could not, where others
 * meet as long as the next stands, and what undoing it deleted. What was first, goes first; the next has taken none of it, and so it gives way.
 */
export function handedOn<T extends Meeting>(
  { matches }: Bracket,
  undone: Deleted<T>,
  next: Deleted<T>,
  byUndoing: Deleted<T>,
): Deleted<T> {
  const meeting = new Map(matches.map((match) => [match.number, participantsOf(match)]));
  const left = [...undone.kept].filter(([number, { participantIds }]) => !isSame(participantIds, meeting.get(number)));
  const giveWay = (kept: Iterable<[number, T]>) =>
    [...kept].map(([number, one]): [number, T] => [number, { ...one, givesWay: true }]);
  return {
    kept: new Map([...giveWay(byUndoing.kept), ...next.kept, ...giveWay(left)]),
    departures: undone.departures ?? next.departures ?? byUndoing.departures,
    entries: undone.entries ?? next.entries ?? byUndoing.entries,
  };
}

/** Departures as they were before, of those who are still gone, and then those of who has left since. */
function returnedTo(before: readonly Departure[], now: readonly Departure[]): Departure[] {
  const gone = new Map(now.map((departure) => [departure.participantId, departure]));
  const stillGone = before.flatMap(({ participantId, stage, round }) => {
    const departure = gone.get(participantId);
    gone.delete(participantId);
    return departure ? [{ ...departure, stage, round }] : [];
  });
  return [...stillGone, ...gone.values()];
}

function openMatch(match: Match): Match {
  const [first, second] = match.slots;
  return {
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

/**
 * The Swiss rounds that are drawn again when a match means something else than before.
 * @param isInAnyCase whether they are in any case: more differs than the match, such as who has left
 */
function redrawOf(bracket: Bracket, before: Match, after: Match, isInAnyCase = false): Redraw | null {
  const { stage, round: afterRound } = before;
  const isOther = isInAnyCase || !isDecided(after) || outcomeOf(after) !== outcomeOf(before);
  if (findStage(bracket, stage).type !== 'swiss' || !isOther) return null;
  return { stage, afterRound, before: isInAnyCase ? null : before };
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
  // The same two are drawn again, one of whom has left meanwhile and forfeits.
  if (isReported(before) && !isReported(after) && isDecided(after)) return 'cleared';
  if (isReported(before) && isReported(after) && !isSame(reportedResult(before), reportedResult(after)))
    return 'cleared';
  // The same two meet again in a round that is drawn again, from the start.
  if (isRunning(before) && after.status === 'ready') return 'cleared';
  return isDecided(after) && !isDecided(before) ? 'advances_other' : null;
}
