import type { Bracket, Departure, Match, Stage } from '@/domain/brackets/types';
import { isSame } from './match-state';
import { eliminated } from './outcomes';

/** What a transaction has to write to bring the stored rows from one bracket to the next. */
export interface Patch {
  /** Numbers of matches to delete; delete before adding, a redrawn match may take the number of a removed one. */
  readonly removed: readonly number[];
  readonly added: readonly Match[];
  readonly changed: readonly Match[];
  /** Stages that changed. */
  readonly stages: readonly Stage[];
  /** All departures when they changed, otherwise null. */
  readonly departures: readonly Departure[] | null;
  /** Who is out now and was not before, without those who departed. */
  readonly eliminated: readonly string[];
  /** Who was out before and is in again. */
  readonly restored: readonly string[];
}

/** A new state and the way to it. */
export interface Change {
  readonly bracket: Bracket;
  readonly patch: Patch;
}

/** Whether two matches of one number are the same Swiss match; a redrawn one is another match. */
export function isSameMatch(before: Match, after: Match): boolean {
  if (before.stage !== after.stage || before.round !== after.round || before.bracket !== after.bracket) return false;
  const isDrawn = ({ slots }: Match) => slots[0].source.type === 'pairing';
  if (!isDrawn(before) && !isDrawn(after)) return true;
  return before.slots.every((slot, at) => slot.participantId === after.slots[at === 0 ? 0 : 1].participantId);
}

/** The difference between two states of one tournament. */
export function difference(before: Bracket, after: Bracket): Patch {
  const old = new Map(before.matches.map((match) => [match.number, match]));
  const [removed, added, changed]: [number[], Match[], Match[]] = [[], [], []];
  for (const match of after.matches) {
    const was = old.get(match.number);
    old.delete(match.number);
    if (was === match) continue;
    if (was && isSameMatch(was, match)) {
      if (!isSame(was, match)) changed.push(match);
      continue;
    }
    if (was) removed.push(match.number);
    added.push(match);
  }
  removed.push(...old.keys());
  const stages = new Map(before.stages.map((stage) => [stage.number, stage]));
  const gone = new Set(after.departures.map(({ participantId }) => participantId));
  const [out, wasOut] = [eliminated(after), eliminated(before)];
  return {
    removed: removed.sort((a, b) => a - b),
    added,
    changed,
    stages: after.stages.filter((stage) => !isSame(stage, stages.get(stage.number))),
    departures: isSame(before.departures, after.departures) ? null : after.departures,
    eliminated: [...out].filter((id) => !wasOut.has(id)),
    restored: [...wasOut].filter((id) => !out.has(id) && !gone.has(id)),
  };
}

export function changeTo(before: Bracket, after: Bracket): Change {
  return { bracket: after, patch: difference(before, after) };
}

/** The bracket with a patch applied, as a store applies it. */
export function applyPatch(bracket: Bracket, patch: Patch): Bracket {
  const removed = new Set(patch.removed);
  const changed = new Map(patch.changed.map((match) => [match.number, match]));
  const stages = new Map(patch.stages.map((stage) => [stage.number, stage]));
  const kept = bracket.matches.filter(({ number }) => !removed.has(number));
  const matches = [...kept.map((match) => changed.get(match.number) ?? match), ...patch.added];
  return {
    ...bracket,
    stages: bracket.stages.map((stage) => stages.get(stage.number) ?? stage),
    matches: matches.sort((a, b) => a.number - b.number),
    departures: patch.departures ?? bracket.departures,
  };
}
