import { bestOfFor } from '@/domain/brackets/draw/best-of';
import {
  areAllDecided,
  type Draft,
  lastNumber,
  putMatch,
  removeMatch,
  stageMatches,
} from '@/domain/brackets/draw/draft';
import { emptySlot, newMatch } from '@/domain/brackets/draw/tree';
import { isSame } from '@/domain/brackets/play/match-state';
import type { Redraw } from '@/domain/brackets/play/settle';
import { settleMatch } from '@/domain/brackets/play/settle-match';
import { buildTable, type TableRow } from '@/domain/brackets/tables/table';
import { rankTable } from '@/domain/brackets/tables/tiebreakers';
import type { Bracket, CompleteOptions, Departure, Match, Slot, Stage, TiebreakerName } from '@/domain/brackets/types';
import { type MajorPlayer, pairMajorRound } from './major-pairing';
import { pairSwissRound, type SwissRound } from './swiss-pairing';

/** Order in which a round is paired; participants equal in all of it are ordered by the stored random seed. */
const PAIRING_ORDER: readonly TiebreakerName[] = ['points', 'buchholz', 'opponent_match_win_percentage', 'random'];
const MAJOR_ORDER: readonly TiebreakerName[] = ['wins', 'difficulty', 'seed'];

/** Whether a record ends a participant's Swiss stage under Counter-Strike Major rules, and how. */
export function majorOutcome(
  record: Pick<TableRow, 'wins' | 'losses'>,
  options: Pick<CompleteOptions, 'winsToAdvance' | 'lossesToEliminate'>,
): 'advanced' | 'eliminated' | null {
  const { winsToAdvance, lossesToEliminate } = options;
  if (winsToAdvance === null || lossesToEliminate === null) return null;
  if (record.wins >= winsToAdvance) return 'advanced';
  return record.losses >= lossesToEliminate ? 'eliminated' : null;
}

/** Whether every round that will be played is drawn and decided. */
export function isSwissOver(stage: Stage, options: CompleteOptions, matches: readonly Match[]): boolean {
  const rounds = matches.at(-1)?.round ?? 0;
  if (!areAllDecided(matches)) return false;
  return stage.endedEarly !== null || rounds >= options.rounds || (rounds > 0 && isEveryoneThrough(options, matches));
}

function isEveryoneThrough(options: CompleteOptions, matches: readonly Match[]): boolean {
  if (options.winsToAdvance === null) return false;
  const ids = new Set(matches.flatMap(({ slots }) => slots.flatMap((slot) => slot.participantId ?? [])));
  const participants = [...ids].map((participantId) => ({ participantId, seed: 0 }));
  const table = buildTable(participants, matches, options, '');
  return [...table.rows.values()].every((row) => majorOutcome(row, options) !== null);
}

/**
 * Draws the pairing of a round from the rounds before it. `absent` are paired no more. Null: nobody is left to pair or
 * there is no legal pairing.
 */
export function drawSwissRound(
  bracket: Pick<Bracket, 'participants' | 'options' | 'randomSeed'>,
  before: readonly Match[],
  round: number,
  absent: ReadonlySet<string>,
): SwissRound | null {
  const players = rowsToPair(bracket, before, round, absent).map(playerOf);
  return bracket.options.winsToAdvance === null ? pairSwissRound(players) : pairMajorRound(players, round);
}

/** Who is to be paired in a round, in the order of pairing. */
function rowsToPair(
  { options, participants, randomSeed }: Pick<Bracket, 'participants' | 'options' | 'randomSeed'>,
  before: readonly Match[],
  round: number,
  absent: ReadonlySet<string>,
): TableRow[] {
  const table = buildTable(participants, before, options, `${randomSeed}:round:${round}`);
  const order = round === 1 ? (['seed'] as const) : options.winsToAdvance === null ? PAIRING_ORDER : MAJOR_ORDER;
  return rankTable(table, order).filter((row) => {
    return !absent.has(row.participantId) && majorOutcome(row, options) === null;
  });
}

function playerOf(row: TableRow): MajorPlayer {
  const { participantId, points, seed, wins, losses, encounters } = row;
  const met = new Set(encounters.flatMap(({ opponentId }) => opponentId ?? []));
  return { participantId, points, seed, wins, losses, met, hadBye: encounters.some((one) => one.opponentId === null) };
}

/** The matches of a drawn round, numbered from `firstNumber`; the bye comes last. */
export function swissMatches(
  bracket: Pick<Bracket, 'participants' | 'options'>,
  stage: number,
  round: number,
  firstNumber: number,
  drawn: Pick<SwissRound, 'pairs' | 'bye'>,
): Match[] {
  const { options, participants } = bracket;
  const seeds = new Map(participants.map(({ participantId, seed }) => [participantId, seed]));
  const bestOf = bestOfFor(options, { bracket: 'group', round, rounds: options.rounds });
  const slot = (participantId: string): Slot => ({
    ...emptySlot({ type: 'pairing' }),
    participantId,
    seed: seeds.get(participantId) ?? null,
  });
  const slots = drawn.pairs.map(([first, second]) => [slot(first), slot(second)] as const);
  if (drawn.bye !== null) slots.push([slot(drawn.bye), emptySlot({ type: 'bye', of: null })]);
  return slots.map((pair, at) => {
    return newMatch({
      number: firstNumber + at,
      stage,
      group: 1,
      round,
      bracket: 'group',
      bestOf,
      slots: pair,
      status: 'ready',
    });
  });
}

/**
 * Settles the rounds of a Swiss stage and draws the next ones once a round is complete. Those that `redraw` names are
 * drawn again: a round whose pairing comes out the same stays with its results, otherwise it and all later ones go.
 */
export function settleSwiss(draft: Draft, stage: Stage, redraw: Pick<Redraw, 'afterRound' | 'before'> | null) {
  const { bracket } = draft;
  const { number } = stage;
  const stored = byRound(stageMatches(draft, number));
  const played: Match[] = [];
  for (let round = 1; ; round++) {
    let current = stored.get(round) ?? [];
    if (
      current.length > 0 &&
      redraw !== null &&
      round > redraw.afterRound &&
      !isStillDrawn(draft, stage, { played, current, before: redraw.before })
    ) {
      dropRounds(draft, number, round);
      stored.clear();
      current = [];
    }
    if (current.length === 0) {
      setEndedEarly(draft, number, null);
      if (!areAllDecided(played)) return;
      if (round > 1 && isSwissOver({ ...stage, endedEarly: null }, bracket.options, played)) return;
      const drawn = drawSwissRound(bracket, played, round, absentBefore(draft.departures.values(), number, round));
      if (!drawn) return setEndedEarly(draft, number, 'no_legal_pairing');
      // Playoffs were drawn too early when the stage goes on, and have the numbers that come next.
      removeFrom(draft, number, round);
      current = swissMatches(bracket, number, round, lastNumber(draft) + 1, drawn);
      for (const match of current) putMatch(draft, match);
    }
    for (const match of current) {
      settleMatch(draft, stage, match, () => undefined);
      played.push(draft.matches.get(match.number) ?? match);
    }
  }
}

function byRound(matches: readonly Match[]): Map<number, Match[]> {
  const rounds = new Map<number, Match[]>();
  for (const match of matches) {
    const round = rounds.get(match.round);
    if (round) round.push(match);
    else rounds.set(match.round, [match]);
  }
  return rounds;
}

function setEndedEarly(draft: Draft, number: number, endedEarly: Stage['endedEarly']) {
  const stage = draft.stages.get(number);
  if (stage && stage.endedEarly !== endedEarly) draft.stages.set(number, { ...stage, endedEarly });
}

/** Whether the rounds before would draw this round as it is, or have changed nothing of what it was drawn from. */
function isStillDrawn(
  { bracket, departures }: Draft,
  stage: Stage,
  { played, current, before }: { played: readonly Match[]; current: readonly Match[]; before: Match | null },
): boolean {
  if (!areAllDecided(played)) return false;
  const round = current[0]?.round ?? 1;
  const absent = absentBefore(departures.values(), stage.number, round);
  if (before !== null) {
    // To pair again what the correction does not concern would take seconds for a hundred rounds.
    const drawnFrom = (matches: readonly Match[], gone: ReadonlySet<string>) =>
      rowsToPair(bracket, matches, round, gone).map(({ participantId, points, wins, losses }) => {
        return [participantId, points, wins, losses].join();
      });
    const was = played.map((match) => (match.number === before.number ? before : match));
    const absentThen = absentBefore(bracket.departures, stage.number, round);
    if (isSame(drawnFrom(played, absent), drawnFrom(was, absentThen))) return true;
  }
  const drawn = drawSwissRound(bracket, played, round, absent);
  return drawn !== null && isSame(pairingOf(current), { pairs: drawn.pairs, bye: drawn.bye });
}

/** The pairing that a round's matches were drawn from. */
function pairingOf(matches: readonly Match[]): Pick<SwissRound, 'pairs' | 'bye'> {
  const pairs: [string, string][] = [];
  let bye: string | null = null;
  for (const { slots } of matches) {
    const [first, second] = [slots[0].participantId, slots[1].participantId];
    if (first !== null && second !== null) pairs.push([first, second]);
    else bye = first;
  }
  return { pairs, bye };
}

function absentBefore(departures: Iterable<Departure>, stage: number, round: number): Set<string> {
  const gone = [...departures].filter((departure) => {
    return departure.stage < stage || (departure.stage === stage && departure.round < round);
  });
  return new Set(gone.map(({ participantId }) => participantId));
}

/** Removes the rounds from `round` on, and every match of later stages. */
function removeFrom(draft: Draft, stage: number, round: number) {
  for (const match of [...draft.matches.values()]) {
    if (match.stage > stage || (match.stage === stage && match.round >= round)) removeMatch(draft, match);
  }
}

/**
 * Takes back rounds from `round` on, and with them every match of later stages. Who left during them has left before they are drawn
 * again; an undone correction draws them as they were.
 */
function dropRounds(draft: Draft, stage: number, round: number) {
  removeFrom(draft, stage, round);
  if (draft.returning) return;
  for (const departure of draft.departures.values()) {
    if (departure.stage < stage || (departure.stage === stage && departure.round < round)) continue;
    draft.departures.set(departure.participantId, { ...departure, stage, round: round - 1 });
  }
}
