import { grandFinalPart, isResetPossible, resetOf } from '@/domain/brackets/draw/double-elimination';
import {
  areAllDecided,
  closeDraft,
  type Draft,
  lastNumber,
  openDraft,
  putMatch,
  removeMatch,
  stageMatches,
} from '@/domain/brackets/draw/draft';
import { knockoutMatches, resetBestOf } from '@/domain/brackets/draw/knockout';
import { isSwissOver, majorOutcome, settleSwiss } from '@/domain/brackets/swiss/swiss';
import { rankGroup } from '@/domain/brackets/tables/stage-ranking';
import type { Bracket, Match, Origin, Slot, Stage } from '@/domain/brackets/types';
import { isSame } from './match-state';
import { originOf, type Qualifier, settleMatch } from './settle-match';

/** Swiss rounds to draw again: those of `stage` after `afterRound`. */
export interface Redraw {
  readonly stage: number;
  readonly afterRound: number;
  /** The corrected match as it was, if that is all that differs from what the rounds were drawn from. */
  readonly before: Match | null;
}

/**
 * The bracket with everything worked out that follows from its reported results and departures. `changed` is the stage
 * in which something was changed beforehand; what the next stage took from an unchanged one is not worked out again.
 */
export function settle(
  bracket: Bracket,
  changed: number | null = null,
  redraw: Redraw | null = null,
  returning: Draft['returning'] = null,
): Bracket {
  const draft = openDraft(bracket, returning);
  if (changed !== null) draft.touched.add(changed);
  settleDraft(draft, redraw);
  const settled = closeDraft(draft);
  // Settling can find that somebody left earlier than recorded, which what was settled before did not know.
  return isSame(settled.departures, bracket.departures)
    ? settled
    : settle(settled, changed, redraw && { ...redraw, before: null }, returning);
}

function settleDraft(draft: Draft, redraw: Redraw | null = null) {
  for (const stage of draft.bracket.stages) {
    if (stage.type === 'swiss') {
      settleSwiss(draft, stage, redraw?.stage === stage.number ? redraw : null);
      continue;
    }
    const before = draft.stages.get(stage.number - 1);
    if (before?.type === 'swiss') drawPlayoffs(draft, stage, before);
    const qualifier = before ? qualifierFrom(draft, before) : () => undefined;
    for (const match of stageMatches(draft, stage.number)) {
      const part = grandFinalPart(stage, match);
      if (part === 'reset') continue;
      settleMatch(draft, stage, match, qualifier);
      if (part === 'grand_final' && match.winnerTo) settleReset(draft, stage, match.number, qualifier);
    }
  }
}

/** Brings the reset of a grand final in or takes it out, as the grand final has it. */
function settleReset(draft: Draft, stage: Stage, grandFinalNumber: number, qualifier: Qualifier) {
  const grandFinal = draft.matches.get(grandFinalNumber);
  if (!grandFinal) return;
  const reset = draft.matches.get(grandFinalNumber + 1);
  if (!isResetPossible(grandFinal)) {
    if (reset) removeMatch(draft, reset);
    return;
  }
  const match = reset ?? resetOf(grandFinal, resetBestOf(draft.bracket.options));
  putMatch(draft, match);
  settleMatch(draft, stage, match, qualifier);
}

/** Whether a stage has nothing left to play or to draw. */
export function isStageOver(bracket: Pick<Bracket, 'options'>, stage: Stage, matches: readonly Match[]): boolean {
  return stage.type === 'swiss' ? isSwissOver(stage, bracket.options, matches) : areAllDecided(matches);
}

/**
 * Who goes on from a stage that is over, by group and in order; those who left during it stay behind. Groups that have
 * nobody else send fewer.
 */
function advancing(draft: Draft, stage: Stage): string[][] {
  const { bracket } = draft;
  const { options } = bracket;
  const matches = stageMatches(draft, stage.number);
  const hasStayed = (id: string) => {
    const departure = draft.departures.get(id);
    return !departure || departure.stage > stage.number;
  };
  return stage.groups.map((group) => {
    const current = draft.stages.get(stage.number)?.groups.find(({ number }) => number === group.number) ?? group;
    const rows = rankGroup(
      bracket,
      stage,
      current,
      matches.filter((match) => match.group === group.number),
    ).filter(({ participantId }) => hasStayed(participantId));
    if (stage.type !== 'swiss') return rows.map(({ participantId }) => participantId).slice(0, options.advancePerGroup);
    const isMajor = options.winsToAdvance !== null;
    return rows
      .filter((row) => !isMajor || majorOutcome(row, options) === 'advanced')
      .slice(0, isMajor ? rows.length : options.playoffs)
      .map(({ participantId }) => participantId);
  });
}

/** Finds who comes from the stage before; nobody is known until it is over. */
function qualifierFrom(draft: Draft, before: Stage): Qualifier {
  if (!draft.touched.has(before.number)) {
    return (_, slot) => (slot.source.type === 'bye' ? null : (slot.participantId ?? undefined));
  }
  if (!isStageOver(draft.bracket, draft.stages.get(before.number) ?? before, stageMatches(draft, before.number))) {
    return () => undefined;
  }
  const groups = advancing(draft, before);
  return (origin) => groups[origin.type === 'group' ? origin.group - 1 : 0]?.[origin.rank - 1] ?? null;
}

/** Brings in the playoffs when a Swiss stage is over and takes them out when it is not, or when their size changes. */
function drawPlayoffs(draft: Draft, stage: Stage, swiss: Stage) {
  if (!draft.touched.has(swiss.number)) return;
  const current = stageMatches(draft, stage.number);
  const isOver = isStageOver(draft.bracket, draft.stages.get(swiss.number) ?? swiss, stageMatches(draft, swiss.number));
  const size = isOver ? (advancing(draft, swiss)[0]?.length ?? 0) : 0;
  if (current.length > 0 && entryOrigins(current).length === size) return;
  for (const match of current) removeMatch(draft, match);
  const entries = Array.from({ length: size }, (_, at): Origin => ({ type: 'standing', rank: at + 1 }));
  const { options } = draft.bracket;
  const plan = { type: options.knockoutFormat, stage: stage.number, firstNumber: lastNumber(draft) + 1, entries };
  for (const match of enteredBy(draft.returning?.entries ?? null, knockoutMatches(options, plan)))
    putMatch(draft, match);
}

/** Playoffs as they are drawn, entered by the places of the standings that are given, where these are as many. */
function enteredBy(ranks: readonly number[] | null, matches: Match[]): Match[] {
  if (ranks?.length !== entryOrigins(matches).length) return matches;
  let at = 0;
  const entered = (slot: Slot): Slot => {
    if (slot.source.type !== 'standing') return slot;
    return { ...slot, source: { type: 'standing', rank: ranks[at++] ?? slot.source.rank } };
  };
  return matches.map((match) => ({ ...match, slots: [entered(match.slots[0]), entered(match.slots[1])] }));
}

/** The places of the stage before that enter the matches of a knockout. */
export function entryOrigins(matches: readonly Match[]): Origin[] {
  return matches.flatMap(({ slots }) =>
    slots.flatMap((slot) => {
      const origin = originOf(slot);
      return origin?.type === 'group' || origin?.type === 'standing' ? [origin] : [];
    }),
  );
}
