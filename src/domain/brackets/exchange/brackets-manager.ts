import { BracketError } from '@/domain/brackets/bracket-error';
import { doubleEliminationTree } from '@/domain/brackets/draw/double-elimination';
import { groupName, gslTree } from '@/domain/brackets/draw/groups';
import { bracketSize } from '@/domain/brackets/draw/seed-order';
import { singleEliminationTree } from '@/domain/brackets/draw/single-elimination';
import type { TreeMatch } from '@/domain/brackets/draw/tree';
import { stageName } from '@/domain/brackets/names';
import { isDecided } from '@/domain/brackets/play/match-state';
import { entryOrigins } from '@/domain/brackets/play/settle';
import type { Bracket, Game, Match, Pair, SlotIndex, Stage } from '@/domain/brackets/types';

/** As brackets-manager numbers them. */
const status = { locked: 0, waiting: 1, ready: 2, running: 3, completed: 4, archived: 5 } as const;

type Result = {
  id: number | null;
  position?: number;
  score?: number;
  forfeit?: boolean;
  result?: 'win' | 'draw' | 'loss';
} | null;
type Opponents = { status: number; opponent1: Result; opponent2: Result };
type StageType = 'round_robin' | 'single_elimination' | 'double_elimination';

/** The tables of a brackets-manager database; ids count from 0. */
export interface BracketsManagerData {
  participant: { id: number; tournament_id: number; name: string }[];
  stage: {
    id: number;
    tournament_id: number;
    name: string;
    type: StageType;
    settings: Record<string, unknown>;
    number: number;
  }[];
  group: { id: number; stage_id: number; number: number }[];
  round: { id: number; stage_id: number; group_id: number; number: number }[];
  match: ({
    id: number;
    stage_id: number;
    group_id: number;
    round_id: number;
    number: number;
    child_count: number;
  } & Opponents)[];
  match_game: ({ id: number; stage_id: number; parent_id: number; number: number } & Opponents)[];
}

/** A round of their matches; null: a match between two byes, which ours leave out and theirs have. */
type Round = readonly (Match | null)[];

/** The order in which losers drop, in their words; see `doubleEliminationTree`. */
const dropOrders = ['reverse', 'reverse_half_shift', 'half_shift', 'natural'] as const;

interface Writer {
  readonly bracket: Bracket;
  readonly data: BracketsManagerData;
  readonly ids: ReadonlyMap<string, number>;
}

/**
 * A bracket as the database of brackets-manager. A group of four (GSL) is a double elimination of its own without a grand
 * final, and a Swiss stage a round robin of as many rounds. Throws a BracketError INVALID_TREE for a tree that was given
 * as edges, which that library cannot hold.
 */
export function toBracketsManager(bracket: Bracket, names: Readonly<Record<string, string>>): BracketsManagerData {
  const ids = new Map(bracket.participants.map(({ participantId }, at) => [participantId, at]));
  const data: BracketsManagerData = { participant: [], stage: [], group: [], round: [], match: [], match_game: [] };
  for (const [participantId, id] of ids)
    data.participant.push({ id, tournament_id: 0, name: names[participantId] ?? '' });
  for (const stage of bracket.stages) writeStage({ bracket, data, ids }, stage);
  return data;
}

function writeStage(writer: Writer, stage: Stage) {
  const { options, participants } = writer.bracket;
  const matches = writer.bracket.matches.filter((match) => match.stage === stage.number);
  const name = stageName(stage);
  switch (stage.type) {
    case 'custom':
      throw new BracketError('INVALID_TREE', 'brackets-manager has no brackets that were given as a tree of matches');
    case 'round_robin':
    case 'swiss': {
      const isSwiss = stage.type === 'swiss';
      const settings = {
        groupCount: stage.groups.length,
        roundRobinMode: !isSwiss && options.legs === 2 ? 'double' : 'simple',
      };
      const groups = stage.groups.map(({ number }) => byRound(matches.filter((match) => match.group === number)));
      return addStage(writer, { name, type: 'round_robin', settings, groups });
    }
    case 'gsl':
      for (const { number } of stage.groups) {
        const own = matches.filter((match) => match.group === number);
        const groups = (['winners', 'losers'] as const).map((side) =>
          byRound(own.filter(({ bracket }) => bracket === side)),
        );
        const settings = { size: 4, grandFinal: 'none', seedOrdering: orderings(gslTree()) };
        addStage(writer, { name: `Group ${groupName(number)}`, type: 'double_elimination', settings, groups });
      }
      return;
    default: {
      if (matches.length === 0) return;
      const entries = stage.number === 1 ? participants.length : entryOrigins(matches).length;
      return writeKnockout(writer, { name, type: stage.type, matches, entries });
    }
  }
}

type Knockout = {
  name: string;
  type: 'single_elimination' | 'double_elimination';
  matches: readonly Match[];
  entries: number;
};

function writeKnockout(writer: Writer, { name, type, matches, entries }: Knockout) {
  const { options } = writer.bracket;
  const size = bracketSize(entries);
  const isDouble = type === 'double_elimination';
  const thirdPlace = !isDouble && options.thirdPlace && entries >= 4;
  const tree = isDouble ? doubleEliminationTree(size) : singleEliminationTree(size, thirdPlace);
  const placed = placedMatches(tree, matches, entries);
  const side = (...sides: string[]) =>
    roundsOf(
      tree.filter(({ bracket }) => sides.includes(bracket)),
      placed,
    );
  if (!isDouble) {
    const settings = { size, consolationFinal: thirdPlace, seedOrdering: ['inner_outer'] };
    const groups = thirdPlace ? [side('winners', 'final'), side('losers')] : [side('winners', 'final')];
    return addStage(writer, { name, type, settings, groups });
  }
  const reset = matches.find((match) => match.bracket === 'final' && match.round === 2);
  const finals = options.grandFinalReset ? [...side('final'), [reset ?? null]] : side('final');
  const settings = { size, grandFinal: options.grandFinalReset ? 'double' : 'simple', seedOrdering: orderings(tree) };
  addStage(writer, {
    name,
    type,
    settings,
    groups: [side('winners'), side('losers'), finals].filter(({ length }) => length > 0),
  });
}

/** The orderings of a double elimination: of the first round, of the losers' first, and of each round that drops into it. */
function orderings(tree: readonly TreeMatch[]): string[] {
  const rounds = Math.max(...tree.filter(({ bracket }) => bracket === 'winners').map(({ round }) => round));
  const drops = Array.from({ length: rounds - 1 }, (_, at) => dropOrders[at % dropOrders.length] ?? 'natural');
  return ['inner_outer', 'natural', ...drops];
}

/** Which match of ours each match of the whole tree is; those between two byes are none. */
function placedMatches(tree: readonly TreeMatch[], matches: readonly Match[], entries: number): Map<string, Match> {
  const placed = new Map<string, Match>();
  const byes = new Set<string>();
  const isEmpty = (ref: TreeMatch['slots'][number]) => {
    if ('seed' in ref) return ref.seed > entries;
    if ('winner' in ref) return !placed.has(ref.winner);
    return !('loser' in ref) || !placed.has(ref.loser) || byes.has(ref.loser);
  };
  const first = Math.min(...matches.map(({ number }) => number));
  const byNumber = new Map(matches.map((match) => [match.number, match]));
  for (const { key, slots } of tree) {
    const empty = slots.filter(isEmpty).length;
    if (empty === 2) continue;
    if (empty === 1) byes.add(key);
    const match = byNumber.get(first + placed.size);
    if (match) placed.set(key, match);
  }
  return placed;
}

function roundsOf(tree: readonly TreeMatch[], placed: ReadonlyMap<string, Match>): Round[] {
  const rounds: (Match | null)[][] = [];
  // The final of a single elimination is the last round of its winners.
  const winners = Math.max(0, ...tree.filter(({ bracket }) => bracket === 'winners').map(({ round }) => round));
  for (const { key, bracket, round } of tree) {
    const at = bracket === 'final' ? winners + round : round;
    const matches = rounds[at - 1] ?? [];
    matches.push(placed.get(key) ?? null);
    rounds[at - 1] = matches;
  }
  return rounds;
}

function byRound(matches: readonly Match[]): Round[] {
  const rounds: Match[][] = [];
  for (const match of matches) {
    const round = rounds[match.round - 1] ?? [];
    round.push(match);
    rounds[match.round - 1] = round;
  }
  return rounds;
}

type NewStage = {
  name: string;
  type: StageType;
  settings: Record<string, unknown>;
  groups: readonly (readonly Round[])[];
};

function addStage(writer: Writer, { name, type, settings, groups }: NewStage) {
  const { data, bracket } = writer;
  const stage = data.stage.length;
  const all = { ...settings, matchesChildCount: bracket.options.bestOf > 1 ? bracket.options.bestOf : 0 };
  data.stage.push({ id: stage, tournament_id: 0, name, type, settings: all, number: stage + 1 });
  const positions = winnersPositions(type, groups[0] ?? []);
  for (const [at, rounds] of groups.entries()) {
    const group = data.group.length;
    data.group.push({ id: group, stage_id: stage, number: at + 1 });
    for (const [index, matches] of rounds.entries()) {
      const round = data.round.length;
      data.round.push({ id: round, stage_id: stage, group_id: group, number: index + 1 });
      for (const [place, match] of matches.entries()) {
        const where = { stage_id: stage, group_id: group, round_id: round, number: place + 1 };
        if (match) addMatch(writer, match, where, positions);
        else addEmptyMatch(data, where, at === 2);
      }
    }
  }
}

/** Where matches of the winners' bracket are in their rounds, by number: a loser's slot names it. */
function winnersPositions(type: StageType, rounds: readonly Round[]): Map<number, number> {
  const positions = new Map<number, number>();
  if (type !== 'double_elimination') return positions;
  for (const matches of rounds) {
    for (const [at, match] of matches.entries()) if (match) positions.set(match.number, at + 1);
  }
  return positions;
}

type Place = { stage_id: number; group_id: number; round_id: number; number: number };

/** A match of two byes, or the reset of a grand final, which waits for nobody when it is not needed. */
function addEmptyMatch({ match }: BracketsManagerData, place: Place, isReset: boolean) {
  const nobody = isReset ? { id: null } : null;
  const empty = { child_count: 0, status: status.locked, opponent1: nobody, opponent2: nobody };
  match.push({ id: match.length, ...place, ...empty });
}

function addMatch({ data, ids, bracket }: Writer, match: Match, place: Place, positions: ReadonlyMap<number, number>) {
  const id = data.match.length;
  const [game] = match.games;
  // Of a single game its score is shown, and of more the games won.
  const single = match.bestOf === 1 && game?.scores ? game.scores : null;
  const opponent = (at: SlotIndex): Result => {
    const { participantId, source, score, result } = match.slots[at];
    if (source.type === 'bye') return null;
    const position =
      source.type === 'seed' ? source.seed : source.type === 'loser' ? positions.get(source.match) : undefined;
    return {
      id: participantId === null ? null : (ids.get(participantId) ?? null),
      ...(position === undefined ? {} : { position }),
      ...outcome(match, result, single?.[at] ?? score),
    };
  };
  const state = { status: statusOf(match, bracket), opponent1: opponent(0), opponent2: opponent(1) };
  data.match.push({ id, ...place, child_count: match.bestOf > 1 ? match.bestOf : 0, ...state });
  if (match.bestOf > 1) addGames(data, match, { stage_id: place.stage_id, parent_id: id, ...state });
}

function outcome(match: Match, result: Match['slots'][number]['result'], score: number | null) {
  if (!isDecided(match) || match.decidedBy === 'bye') return {};
  if (result === 'forfeit') return { forfeit: true };
  return { ...(score === null ? {} : { score }), ...(result === null ? {} : { result }) };
}

function addGames(
  data: BracketsManagerData,
  match: Match,
  parent: Opponents & { stage_id: number; parent_id: number },
) {
  const idOf = (one: Result): Result => one && { id: one.id };
  for (let number = 1; number <= match.bestOf; number++) {
    const game = match.games[number - 1];
    const opponents: Pair<Result> = [idOf(parent.opponent1), idOf(parent.opponent2)];
    const played = game ? playedGame(game, opponents) : opponents;
    const open = isDecided(match) ? status.archived : parent.status;
    data.match_game.push({
      ...{ id: data.match_game.length, stage_id: parent.stage_id, parent_id: parent.parent_id, number },
      ...{ status: game ? status.completed : open, opponent1: played[0], opponent2: played[1] },
    });
  }
}

function playedGame({ scores, winner }: Game, opponents: Pair<Result>): Pair<Result> {
  const side = (at: SlotIndex): Result => {
    const result = winner === null ? 'draw' : winner === at ? 'win' : 'loss';
    const opponent = opponents[at];
    return opponent && { ...opponent, ...(scores ? { score: scores[at] } : {}), result };
  };
  return [side(0), side(1)];
}

function statusOf(match: Match, { matches }: Bracket): number {
  const { slots } = match;
  const missing = slots.filter(({ participantId }) => participantId === null).length;
  if (slots.some(({ source }) => source.type === 'bye') || missing === 2) return status.locked;
  if (missing === 1) return status.waiting;
  if (match.status === 'in_progress' || match.status === 'disputed') return status.running;
  if (!isDecided(match)) return status.ready;
  const next = [match.winnerTo, match.loserTo].map((to) => matches.find(({ number }) => number === to?.match));
  return next.some((one) => one && isDecided(one)) ? status.archived : status.completed;
}
