import { BracketError } from '@/domain/brackets/bracket-error';
import { knockoutMatches } from '@/domain/brackets/draw/knockout';
import { tiesOf } from '@/domain/brackets/tables/stage-ranking';
import type { Bracket, Group, Match, Origin, Ruling, Stage } from '@/domain/brackets/types';
import { isDecided, isReported, isRunning } from './match-state';
import { isGroupOver, matchesOf } from './outcomes';
import { type Change, changeTo } from './patch';
import { decidedMatch, type MatchResult } from './results';
import { entryOrigins, isStageOver, settle } from './settle';
import { originOf } from './settle-match';

/** Something that happens in a tournament. */
export type Action =
  /** A match is decided. */
  | { readonly type: 'result'; readonly match: number; readonly result: MatchResult }
  /** A participant plays no more: open matches become forfeits, results played stand. */
  | { readonly type: 'withdraw' | 'disqualify'; readonly participantId: string }
  /** The organizer seeds a knockout by hand before it begins; ids in seed order, everyone who entered it. */
  | { readonly type: 'reseed'; readonly stage: number; readonly participantIds: readonly string[] }
  /** Staff order participants who are tied on every tie-break; null takes the ruling back. */
  | { readonly type: 'rule_tie'; readonly stage: number; readonly group: number; readonly ruling: Ruling | null };

/**
 * The bracket after an action, and the patch to it. The given bracket stays as it is. Throws a BracketError:
 * - result: UNKNOWN_MATCH, MATCH_NOT_READY (a participant is unknown), MATCH_ALREADY_DECIDED (use `correct`),
 *   INVALID_RESULT;
 * - withdraw, disqualify: UNKNOWN_PARTICIPANT, ALREADY_DEPARTED;
 * - reseed: UNKNOWN_STAGE, STAGE_NOT_DRAWN, STAGE_ALREADY_BEGUN, INVALID_SEEDING;
 * - rule_tie: UNKNOWN_STAGE, STAGE_NOT_OVER (the group is not), STAGE_ALREADY_BEGUN (the next stage has),
 *   INVALID_SEEDING (unless everyone of one tie or more is named).
 */
export function apply(bracket: Bracket, action: Action): Change {
  switch (action.type) {
    case 'result': {
      const match = findMatch(bracket, action.match);
      if (isDecided(match)) throw new BracketError('MATCH_ALREADY_DECIDED', `Match ${match.number} is already decided`);
      return changeTo(bracket, settle(decideMatch(bracket, match, action.result), match.stage));
    }
    case 'withdraw':
      return changeTo(bracket, depart(bracket, action.participantId, 'withdrawn'));
    case 'disqualify':
      return changeTo(bracket, depart(bracket, action.participantId, 'disqualified'));
    case 'reseed':
      return changeTo(bracket, reseed(bracket, action.stage, action.participantIds));
    case 'rule_tie':
      return changeTo(bracket, ruleTie(bracket, action.stage, action.group, action.ruling));
  }
}

export function findMatch(bracket: Bracket, number: number): Match {
  const match = bracket.matches.find((one) => one.number === number);
  if (!match) throw new BracketError('UNKNOWN_MATCH', `There is no match ${number}`);
  return match;
}

export function findStage(bracket: Bracket, number: number): Stage {
  const stage = bracket.stages.find((one) => one.number === number);
  if (!stage) throw new BracketError('UNKNOWN_STAGE', `There is no stage ${number}`);
  return stage;
}

/** The bracket with the result in its match and nothing that follows from it. */
export function decideMatch(bracket: Bracket, match: Match, result: MatchResult): Bracket {
  return replaceMatch(bracket, decidedMatch(bracket, match, result));
}

export function replaceMatch(bracket: Bracket, match: Match): Bracket {
  return { ...bracket, matches: bracket.matches.map((one) => (one.number === match.number ? match : one)) };
}

function depart(bracket: Bracket, participantId: string, type: 'withdrawn' | 'disqualified'): Bracket {
  if (!bracket.participants.some((one) => one.participantId === participantId)) {
    throw new BracketError('UNKNOWN_PARTICIPANT', 'They do not play in this bracket');
  }
  if (bracket.departures.some((one) => one.participantId === participantId)) {
    throw new BracketError('ALREADY_DEPARTED', 'They have already left');
  }
  const open = bracket.stages.find((one) => !isStageOver(bracket, one, matchesOf(bracket, one)));
  const stage = open ?? bracket.stages.at(-1);
  const lastRound = stage?.type === 'swiss' ? (matchesOf(bracket, stage).at(-1)?.round ?? 0) : 0;
  const round = stage?.type === 'swiss' && !open ? lastRound + 1 : lastRound;
  const departure = { participantId, type, stage: stage?.number ?? 1, round };
  return settle({ ...bracket, departures: [...bracket.departures, departure] });
}

/** Whether somebody has reported a result in a stage, or is playing in it. */
function hasBegun(bracket: Bracket, stage: Stage): boolean {
  return matchesOf(bracket, stage).some((match) => isReported(match) || isRunning(match));
}

function reseed(bracket: Bracket, number: number, participantIds: readonly string[]): Bracket {
  const stage = findStage(bracket, number);
  const matches = matchesOf(bracket, stage);
  const originOfId = new Map<string, Origin>();
  for (const slot of matches.flatMap(({ slots }) => slots)) {
    const origin = originOf(slot);
    const isEntry = origin?.type === 'group' || origin?.type === 'standing';
    if (isEntry && slot.participantId !== null) originOfId.set(slot.participantId, origin);
  }
  if (number === 1 || originOfId.size === 0) {
    throw new BracketError('STAGE_NOT_DRAWN', 'Only a knockout whose participants are known can be seeded');
  }
  if (hasBegun(bracket, stage)) throw new BracketError('STAGE_ALREADY_BEGUN', 'The stage has begun');
  const chosen = new Map(
    participantIds.flatMap((id) => {
      const origin = originOfId.get(id);
      return origin ? [[id, origin] as const] : [];
    }),
  );
  if (chosen.size !== originOfId.size || participantIds.length !== originOfId.size) {
    throw new BracketError('INVALID_SEEDING', 'Name everyone in the stage once');
  }
  // Places that send nobody keep their byes, behind everyone who plays.
  const taken = new Set([...chosen.values()].map((origin) => JSON.stringify(origin)));
  const vacant = entryOrigins(matches).filter((origin) => !taken.has(JSON.stringify(origin)));
  const type = stage.type === 'double_elimination' ? stage.type : 'single_elimination';
  const firstNumber = matches[0]?.number ?? 1;
  const entries = [...chosen.values(), ...vacant];
  const drawn = knockoutMatches(bracket.options, { type, stage: number, firstNumber, entries });
  const others = bracket.matches.filter((match) => match.stage !== number);
  return settle({ ...bracket, matches: [...others, ...drawn] }, number - 1);
}

function ruleTie(bracket: Bracket, number: number, groupNumber: number, ruling: Ruling | null): Bracket {
  const stage = findStage(bracket, number);
  const group = stage.groups.find((one) => one.number === groupNumber);
  if (!group) throw new BracketError('UNKNOWN_STAGE', `There is no group ${groupNumber}`);
  const ruled = ruling && { ...ruling, ties: ruledTies(bracket, stage, group, ruling) };
  const next = bracket.stages.find((one) => one.number === number + 1);
  if (next && hasBegun(bracket, next)) throw new BracketError('STAGE_ALREADY_BEGUN', 'The next stage has begun');
  const groups = stage.groups.map((one) => (one === group ? { ...group, ruling: ruled } : one));
  const stages = bracket.stages.map((one) => (one === stage ? { ...stage, groups } : one));
  return settle({ ...bracket, stages }, number);
}

/** The ties that a ruling orders. Throws unless it names everyone of one tie or more of a group that is over. */
function ruledTies(bracket: Bracket, stage: Stage, group: Group, { order }: Ruling): string[][] {
  const matches = matchesOf(bracket, stage, group);
  if (!isGroupOver(bracket, stage, matches))
    throw new BracketError('STAGE_NOT_OVER', 'Ties are decided once all matches of the group are played');
  const named = new Set(order);
  const ruled = tiesOf(bracket, stage, group, matches).filter((ids) => ids.some((id) => named.has(id)));
  const tied = ruled.flat();
  if (
    order.length === 0 ||
    named.size < order.length ||
    named.size !== tied.length ||
    !tied.every((id) => named.has(id))
  ) {
    throw new BracketError('INVALID_SEEDING', 'Name everyone who is tied, each once, and nobody else');
  }
  return ruled;
}
