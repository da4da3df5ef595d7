import { majorOutcome } from '@/domain/brackets/swiss/swiss';
import { placesOf, rankGroup } from '@/domain/brackets/tables/stage-ranking';
import { buildTable } from '@/domain/brackets/tables/table';
import type { RankedRow } from '@/domain/brackets/tables/tiebreakers';
import type { Bracket, Group, Match, Stage } from '@/domain/brackets/types';
import { isDecided } from './match-state';
import { isStageOver } from './settle';

/** Somebody's place in the final standings. */
export interface FinalPlace {
  readonly rank: number;
  readonly participantId: string;
  readonly seed: number;
}

export function matchesOf(bracket: Bracket, stage: Stage, group?: Group): Match[] {
  return bracket.matches.filter((match) => {
    return match.stage === stage.number && (group === undefined || match.group === group.number);
  });
}

function isOver(bracket: Bracket, stage: Stage): boolean {
  return isStageOver(bracket, stage, matchesOf(bracket, stage));
}

/** The groups of a stage, each with its matches. */
export function matchesByGroup(bracket: Bracket, stage: Stage): [Group, Match[]][] {
  const byNumber = new Map(stage.groups.map(({ number }) => [number, [] as Match[]]));
  for (const match of matchesOf(bracket, stage)) if (match.group !== null) byNumber.get(match.group)?.push(match);
  return stage.groups.map((group) => [group, byNumber.get(group.number) ?? []]);
}

/** Whether nothing is left to play in a group of a stage. @param matches of the group */
export function isGroupOver(bracket: Bracket, stage: Stage, matches: readonly Match[]): boolean {
  return stage.type === 'swiss' ? isStageOver(bracket, stage, matches) : matches.every(isDecided);
}

/** Whether nothing is left to play or to draw. */
export function isComplete(bracket: Bracket): boolean {
  return bracket.stages.every((stage) => isOver(bracket, stage));
}

/** Who entered a stage after the first. */
export function participantsOf(bracket: Bracket, stage: Stage): Set<string> {
  return new Set(
    matchesOf(bracket, stage).flatMap(({ slots }) =>
      slots.flatMap(({ participantId, source }) => {
        const isEntry = source.type === 'group' || source.type === 'standing';
        return isEntry && participantId !== null ? [participantId] : [];
      }),
    ),
  );
}

/**
 * The final places known so far, best first. A knockout gives one as soon as somebody is out, those out in the same
 * round sharing the best place of it; a table gives its places when it is over. Behind a knockout come those who did
 * not reach it: from groups by place in the group, shared between groups; from Swiss in the order of the table.
 */
export function finalPlaces(bracket: Bracket): FinalPlace[] {
  const seeds = new Map(bracket.participants.map(({ participantId, seed }) => [participantId, seed]));
  const ranks = new Map<string, number>();
  const last = bracket.stages.at(-1);
  if (!last) return [];
  if (last.groups.length === 0) {
    for (const [id, place] of knockoutPlaces(matchesOf(bracket, last))) ranks.set(id, place);
  }
  const [first] = bracket.stages;
  if (first && first.groups.length > 0 && isOver(bracket, first)) {
    const participants = last === first ? new Set<string>() : participantsOf(bracket, last);
    for (const [id, place] of placesBehind(bracket, first, participants)) ranks.set(id, place);
  }
  return [...ranks]
    .map(([participantId, rank]) => ({ rank, participantId, seed: seeds.get(participantId) ?? 0 }))
    .sort((a, b) => a.rank - b.rank || a.seed - b.seed);
}

/**
 * Places of those who are out of a knockout. Where byes and double forfeits leave a round with fewer losers than its
 * places, they share the best place that is left below everyone who got further; nobody moves up to be champion.
 */
function knockoutPlaces(matches: readonly Match[]): Map<string, number> {
  const places = placesOf(matches);
  const participants = new Set(
    matches.flatMap(({ slots }) => slots.flatMap(({ participantId }) => participantId ?? [])),
  );
  const sorted = [...places.values()].sort((a, b) => a - b);
  for (const [id, place] of places) {
    const behind = sorted.filter((other) => other >= place).length;
    if (place > 2) places.set(id, Math.min(place, participants.size - behind + 1));
  }
  return places;
}

/**
 * Places of those of a table stage who are not among the participants of the next: behind them, or from 1 without any. The
 * best of every group who stayed behind share a place, then the next of every group.
 */
function placesBehind(bracket: Bracket, stage: Stage, participants: ReadonlySet<string>): Map<string, number> {
  const rows: RankedRow[][] = matchesByGroup(bracket, stage).map(([group, matches]) =>
    rankGroup(bracket, stage, group, matches).filter(({ participantId }) => !participants.has(participantId)),
  );
  const places = new Map<string, number>();
  let taken = participants.size;
  const depth = Math.max(0, ...rows.map(({ length }) => length));
  const tiers = Array.from({ length: depth }, (_, tier) => rows.flatMap((group) => group.slice(tier, tier + 1)));
  for (const tier of tiers) {
    for (const { participantId } of tier) places.set(participantId, taken + 1);
    taken += tier.length;
  }
  return places;
}

/** Everyone whom results have put out of the tournament for good, without those who departed. */
export function eliminated(bracket: Bracket): Set<string> {
  const out = new Set<string>();
  const last = bracket.stages.at(-1);
  for (const stage of bracket.stages) {
    if (stage.groups.length === 0) addLosers(bracket, stage, out);
    else if (stage !== last || bracket.options.winsToAdvance !== null) addUnqualified(bracket, stage, out);
  }
  for (const { participantId } of bracket.departures) out.delete(participantId);
  return out;
}

function addLosers(bracket: Bracket, stage: Stage, out: Set<string>) {
  const matches = matchesOf(bracket, stage);
  const champions = new Set(
    matches.filter((match) => match.winnerRank === 1 && isDecided(match)).map(({ winnerId }) => winnerId),
  );
  for (const id of placesOf(matches).keys()) if (!champions.has(id)) out.add(id);
}

function addUnqualified(bracket: Bracket, stage: Stage, out: Set<string>) {
  const matches = matchesOf(bracket, stage);
  const next = bracket.stages.find(({ number }) => number === stage.number + 1);
  if (next && isOver(bracket, stage)) {
    const participants = participantsOf(bracket, next);
    for (const { participantId } of bracket.participants) if (!participants.has(participantId)) out.add(participantId);
  }
  if (stage.type === 'swiss' && bracket.options.winsToAdvance !== null) {
    const table = buildTable(bracket.participants, matches, bracket.options, bracket.randomSeed);
    for (const row of table.rows.values()) {
      if (majorOutcome(row, bracket.options) === 'eliminated') out.add(row.participantId);
    }
  }
}
