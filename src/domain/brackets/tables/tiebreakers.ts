import { hashText } from '@/domain/brackets/draw/random';
import type { Ruling, TiebreakerName } from '@/domain/brackets/types';
import { type Encounter, pointsFor, type Table, type TableRow } from './table';

interface Tiebreaker {
  /** What is shown on the row; null when it says nothing. */
  readonly value: (row: TableRow, table: Table) => number | null;
  /** What rows are compared by, more first; the shown value unless given. */
  readonly order?: (row: TableRow, table: Table) => number;
  readonly description: string;
}

/** Magic Tournament Rules: percentages of opponents never count as less than this, exactly 0.33 and not a third. */
const PERCENTAGE_FLOOR = 0.33;
/** Means are sums of doubles; rows closer than this are tied. */
const EPSILON = 1e-9;

const opponentsOf = (row: TableRow, table: Table) => table.opponents.get(row.participantId) ?? [];

function matchWinPercentage(row: TableRow, table: Table): number {
  return row.played === 0 ? 0 : row.points / (table.pointsForWin * row.played);
}

/** Three game points for a won game and one for a drawn one. */
function gameWinPercentage(row: TableRow): number {
  const games = row.gamesWon + row.gamesLost + row.gamesDrawn;
  return games === 0 ? 0 : (3 * row.gamesWon + row.gamesDrawn) / (3 * games);
}

/** Mean over the opponents met, byes left out; 0 without an opponent. */
function meanOfOpponents(row: TableRow, table: Table, value: (opponent: TableRow) => number): number {
  const opponents = opponentsOf(row, table);
  const total = opponents.reduce((sum, opponent) => sum + Math.max(PERCENTAGE_FLOOR, value(opponent)), 0);
  return opponents.length === 0 ? 0 : total / opponents.length;
}

function sumOfOpponents(row: TableRow, table: Table, value: (opponent: TableRow) => number): number {
  return opponentsOf(row, table).reduce((sum, opponent) => sum + value(opponent), 0);
}

function medianBuchholz(row: TableRow, table: Table): number {
  const points = opponentsOf(row, table).map((opponent) => opponent.points);
  return points
    .sort((a, b) => a - b)
    .slice(1, -1)
    .reduce((sum, value) => sum + value, 0);
}

function sonnebornBerger(row: TableRow, table: Table): number {
  const share = { win: 1, draw: 0.5, loss: 0 };
  return row.encounters.reduce((sum, { opponentId, result }) => {
    const opponent = opponentId === null ? undefined : table.rows.get(opponentId);
    return sum + share[result] * (opponent?.points ?? 0);
  }, 0);
}

const TIEBREAKER: Record<Exclude<TiebreakerName, 'head_to_head'>, Tiebreaker> = {
  points: { value: (row) => row.points, description: 'More points.' },
  wins: {
    value: (row) => row.wins,
    order: (row) => row.wins - row.losses / 1024,
    description: 'More matches won, byes included; with equally many, fewer lost.',
  },
  game_difference: {
    value: (row) => row.gamesWon - row.gamesLost,
    description: 'The larger difference between games won and games lost.',
  },
  games_won: { value: (row) => row.gamesWon, description: 'More games won.' },
  score_difference: {
    value: (row) => row.scoresFor - row.scoresAgainst,
    description: 'The larger difference between what they scored and what was scored against them within games.',
  },
  scores_for: { value: (row) => row.scoresFor, description: 'More scored within games.' },
  rounds_played: {
    value: (row) => row.played,
    description: 'More rounds played, byes included, so participants who dropped out later rank higher.',
  },
  buchholz: {
    value: (row, table) => sumOfOpponents(row, table, ({ points }) => points),
    description: 'Buchholz: more points scored by all of their opponents together.',
  },
  median_buchholz: {
    value: medianBuchholz,
    description: 'Median Buchholz: more points scored by their opponents, without the best and the worst opponent.',
  },
  sonneborn_berger: {
    value: sonnebornBerger,
    description:
      'Sonneborn–Berger: the points of every opponent they beat and half the points of those they drew with.',
  },
  opponent_match_win_percentage: {
    value: (row, table) => meanOfOpponents(row, table, (opponent) => matchWinPercentage(opponent, table)),
    description:
      'Opponents’ match-win percentage: the average share of match points their opponents won, each counted as at least 33%.',
  },
  game_win_percentage: {
    value: gameWinPercentage,
    order: (row) => Math.max(PERCENTAGE_FLOOR, gameWinPercentage(row)),
    description: 'Game-win percentage: the share of game points they won themselves, counted as at least 33%.',
  },
  opponent_game_win_percentage: {
    value: (row, table) => meanOfOpponents(row, table, gameWinPercentage),
    description:
      'Opponents’ game-win percentage: the average share of game points their opponents won, each counted as at least 33%.',
  },
  difficulty: {
    value: (row, table) => sumOfOpponents(row, table, ({ wins, losses }) => wins - losses),
    description: 'Difficulty: matches won minus matches lost by all of their opponents together; byes do not count.',
  },
  seed: { value: (row) => row.seed, order: (row) => -row.seed, description: 'The better seed.' },
  random: {
    value: () => null,
    order: (row, table) => hashText(`${table.randomSeed}:tiebreak:${row.lot}`),
    description: 'A draw by the random number stored with the tournament.',
  },
};

const HEAD_TO_HEAD =
  'Head-to-head: more points in the matches among those still tied, if all of them have met equally often.';

/** One sentence that says what puts a participant ahead by this tie-break. */
export function describeTiebreaker(name: TiebreakerName): string {
  return name === 'head_to_head' ? HEAD_TO_HEAD : TIEBREAKER[name].description;
}

export interface RankedRow extends TableRow {
  /** From 1, without shared ranks. */
  readonly rank: number;
  /** By tie-break; null where it did not apply. */
  readonly tiebreakers: Readonly<Partial<Record<TiebreakerName, number | null>>>;
}

interface Entry {
  readonly row: TableRow;
  readonly shown: Partial<Record<TiebreakerName, number | null>>;
}

/** The tie-breaks that go by what was played: those before `seed` and `random`. */
export function beforeLots(tiebreakers: readonly TiebreakerName[]): readonly TiebreakerName[] {
  const lots = tiebreakers.findIndex((name) => name === 'seed' || name === 'random');
  return lots < 0 ? tiebreakers : tiebreakers.slice(0, lots);
}

/** Ids of those who are equal in all of these tie-breaks, by two or more. */
export function tiedOn(table: Table, tiebreakers: readonly TiebreakerName[]): string[][] {
  return splitBySteps([entriesOf(table)], tiebreakers, table)
    .filter(({ length }) => length > 1)
    .map((group) => group.map(({ row }) => row.participantId));
}

function entriesOf(table: Table): Entry[] {
  return [...table.rows.values()].map((row) => ({ row, shown: {} }));
}

/** Parts tied entries by one tie-break after the other, and notes what each says of them. */
function splitBySteps(groups: Entry[][], steps: readonly TiebreakerName[], table: Table): Entry[][] {
  let tied = groups;
  for (const step of steps) {
    if (step === 'head_to_head') {
      tied = tied.flatMap((group) => splitByHeadToHead(group, table));
      continue;
    }
    const { value, order } = TIEBREAKER[step];
    for (const entry of tied.flat()) entry.shown[step] = value(entry.row, table);
    tied = tied.flatMap((group) => splitBy(group, ({ row, shown }) => order?.(row, table) ?? shown[step] ?? 0));
  }
  return tied;
}

/** The ties that a ruling orders. Of one that does not say which they were, all whom it names count as one. */
export function tiesOfRuling({ order, ties }: Ruling): readonly (readonly string[])[] {
  return ties ?? [order];
}

/**
 * The rows in the order of the tie-breaks: those tied on one are ordered by the next. `ruling`, an order decided by
 * staff, applies before `seed` and `random`, to those tied whom it names as one tie: of another tie, after a correction, it says nothing. Rows
 * tied on everything are ordered by seed.
 */
export function rankTable(
  table: Table,
  tiebreakers: readonly TiebreakerName[],
  ruling: Ruling | null = null,
): RankedRow[] {
  const merits = beforeLots(tiebreakers);
  let tied = splitBySteps([entriesOf(table)], merits, table);
  if (ruling) {
    const ties = tiesOfRuling(ruling);
    const isRuled = (group: Entry[]) => ties.some((tie) => group.every(({ row }) => tie.includes(row.participantId)));
    const order = ({ row }: Entry) => -ruling.order.indexOf(row.participantId);
    tied = tied.flatMap((group) => (isRuled(group) ? splitBy(group, order) : [group]));
  }
  tied = splitBySteps(tied, tiebreakers.slice(merits.length), table);
  if (!tiebreakers.includes('seed')) tied = splitBySteps(tied, ['seed'], table);
  const listed = new Set<string>(tiebreakers);
  return tied.flat().map(({ row, shown }, at) => {
    if (!listed.has('seed')) delete shown.seed;
    return { ...row, rank: at + 1, tiebreakers: shown };
  });
}

/** Parts tied entries by a number, more first. */
function splitBy(group: Entry[], order: (entry: Entry) => number): Entry[][] {
  if (group.length < 2) return [group];
  const keyed = group
    .map((entry) => ({ entry, key: order(entry) }))
    .sort((a, b) => (b.key > a.key ? 1 : -(a.key > b.key)));
  const parts: Entry[][] = [];
  let last: number | null = null;
  for (const { entry, key } of keyed) {
    const part = parts.at(-1);
    if (part && last !== null && (key === last || last - key < EPSILON)) part.push(entry);
    else parts.push([entry]);
    last = key;
  }
  return parts;
}

/**
 * Those a mini-table leaves tied get a mini-table of their own. It says nothing unless all of them have met equally
 * often.
 */
function splitByHeadToHead(group: Entry[], table: Table): Entry[][] {
  for (const { shown } of group) shown.head_to_head ??= null;
  if (group.length < 2) return [group];
  const ids = new Set(group.map(({ row }) => row.participantId));
  const mutual = (row: TableRow): Encounter[] =>
    row.encounters.filter(({ opponentId }) => opponentId !== null && ids.has(opponentId));
  if (group.some(({ row }) => mutual(row).length < group.length - 1)) return [group];
  const meetings = group.flatMap(({ row }) => {
    const times = new Map<string | null, number>();
    for (const { opponentId } of mutual(row)) times.set(opponentId, (times.get(opponentId) ?? 0) + 1);
    return [...ids].filter((id) => id !== row.participantId).map((id) => times.get(id) ?? 0);
  });
  if (meetings.some((times) => times === 0 || times !== meetings[0])) return [group];
  for (const { row, shown } of group) {
    shown.head_to_head = mutual(row).reduce((sum, { result }) => sum + pointsFor(result, table), 0);
  }
  const parts = splitBy(group, ({ shown }) => shown.head_to_head ?? 0);
  return parts.length === 1 ? parts : parts.flatMap((part) => splitByHeadToHead(part, table));
}
