import { canSpare, enlargeMatching, type Looks, type Matching } from './matching';
import { byeCandidates, type SwissPlayer, type SwissRound } from './swiss-pairing';

/** A participant of a Swiss stage under Counter-Strike Major rules; `points` is not used. */
export interface MajorPlayer extends SwissPlayer {
  readonly wins: number;
  readonly losses: number;
}

type Pairs = (readonly [MajorPlayer, MajorPlayer])[];

/**
 * Valve's pairings of six teams with the same record, by their rank in it; the first row without a rematch is played.
 * Source: ValveSoftware/counter-strike, major-supplemental-rulebook.md.
 */
const SIX_TEAM_ROWS: readonly (readonly (readonly [number, number])[])[] = [
  '1v6 2v5 3v4',
  '1v6 2v4 3v5',
  '1v5 2v6 3v4',
  '1v5 2v4 3v6',
  '1v4 2v6 3v5',
  '1v4 2v5 3v6',
  '1v6 2v3 4v5',
  '1v5 2v3 4v6',
  '1v3 2v6 4v5',
  '1v3 2v5 4v6',
  '1v4 2v3 5v6',
  '1v3 2v4 5v6',
  '1v2 3v6 4v5',
  '1v2 3v5 4v6',
  '1v2 3v4 5v6',
].map((row) => row.split(' ').map((pair) => [Number(pair[0]) - 1, Number(pair[2]) - 1] as const));

/** From this round on a pool of six is paired by Valve's rows. */
const FIRST_ROUND_OF_ROWS = 4;

/**
 * Pairs a round under Counter-Strike Major rules. `players` come in the order of record, difficulty, initial seed. In
 * round 1 the upper half meets the lower half in order; later only equal records meet, the highest against the lowest
 * without a rematch. Where a record has an odd number, the lowest team after whom rematches are fewest meets the next
 * record; an odd field gives the bye to the lowest seed of the lowest record who had none. Null: there is no legal pairing.
 */
export function pairMajorRound(players: readonly MajorPlayer[], round: number): SwissRound | null {
  if (players.length === 0) return null;
  const bye = players.length % 2 === 1 ? majorBye(players) : null;
  if (players.length % 2 === 1 && bye === null) return null;
  const field = players.filter((player) => player !== bye);
  const pairs = round === 1 ? halves(field) : pairPools(field, round);
  return {
    pairs: pairs.map(([a, b]) => [a.participantId, b.participantId]),
    bye: bye?.participantId ?? null,
    rematches: pairs.filter(([a, b]) => !canPair(a, b)).length,
  };
}

const canPair = (a: MajorPlayer, b: MajorPlayer) => !a.met.has(b.participantId);

function majorBye(players: readonly MajorPlayer[]): MajorPlayer | null {
  const byRecord = new Map(players.map((player) => [player.participantId, player]));
  const ranked = players.map((player) => ({ ...player, points: player.wins - player.losses }));
  const first = byeCandidates(ranked)[0];
  return first ? (byRecord.get(first.participantId) ?? null) : null;
}

function halves(players: readonly MajorPlayer[]): Pairs {
  const half = players.length / 2;
  return zip(players.slice(0, half), players.slice(half));
}

function zip(first: readonly MajorPlayer[], second: readonly MajorPlayer[]): Pairs {
  return first.flatMap((player, at) => {
    const opponent = second[at];
    return opponent ? [[player, opponent] as const] : [];
  });
}

function pairPools(players: readonly MajorPlayer[], round: number): Pairs {
  const search: FloaterSearch = { records: pools(players), looks: { left: FLOATER_LOOKS }, known: new Map() };
  const pairs: Pairs = [];
  let floater: MajorPlayer | null = null;
  for (const [at, record] of search.records.entries()) {
    const pool: readonly MajorPlayer[] = floater ? [floater, ...record] : record;
    floater = pool.length % 2 === 1 ? findFloater(search, at, floater).floater : null;
    pairs.push(...pairPool(floater ? without(pool, floater) : pool, round));
  }
  return pairs;
}

/**
 * How many looks at players the choice of floaters in a round takes before the first who spares their record a rematch
 * floats. It bounds large fields in which some record has a rematch whoever floats to it.
 */
const FLOATER_LOOKS = 1_000_000;

interface FloaterSearch {
  readonly records: readonly (readonly MajorPlayer[])[];
  readonly looks: Looks;
  readonly known: Map<string, Floater>;
}

/** Who floats from a record, and how many rematches there are from it to the next record from which nobody floats. */
interface Floater {
  readonly floater: MajorPlayer | null;
  readonly rematches: number;
}

/** The lowest of a record, and of who floated to it, after whom there are the fewest rematches in it and further down. */
function findFloater(search: FloaterSearch, at: number, floated: MajorPlayer | null): Floater {
  const key = `${at} ${floated?.participantId}`;
  const known = search.known.get(key);
  if (known) return known;
  const { records, looks } = search;
  const pool = [...(floated ? [floated] : []), ...(records[at] ?? [])];
  const { matching, indexes, canPairAt, single } = largestMatching(pool);
  looks.left -= pool.length ** 2;
  const own = Math.floor(single / 2);
  let best: Floater = { floater: null, rematches: own };
  for (const index of pool.length % 2 === 1 ? indexes.toReversed() : []) {
    // Another floater saves at most one rematch further down: nobody is worth one in their own record.
    const isSpared = looks.left > 0 ? canSpare(matching, indexes, canPairAt, index, looks) : matching[index] === -1;
    const floater = pool[index];
    if (!isSpared || !floater) continue;
    const rematches = own + findFloater(search, at + 1, floater).rematches;
    if (best.floater === null || rematches < best.rematches) best = { floater, rematches };
    if (best.rematches === own || looks.left <= 0) break;
  }
  search.known.set(key, best);
  return best;
}

function pools(players: readonly MajorPlayer[]): MajorPlayer[][] {
  const groups: MajorPlayer[][] = [];
  for (const player of players) {
    const group = groups.at(-1);
    if (group?.[0]?.wins === player.wins && group[0].losses === player.losses) group.push(player);
    else groups.push([player]);
  }
  return groups;
}

const without = (pool: readonly MajorPlayer[], left: MajorPlayer) => pool.filter((player) => player !== left);

function pairPool(pool: readonly MajorPlayer[], round: number): Pairs {
  if (pool.length === 6 && round >= FIRST_ROUND_OF_ROWS) {
    for (const row of SIX_TEAM_ROWS) {
      const pairs = row.flatMap(([a, b]) => zip(pool.slice(a, a + 1), pool.slice(b, b + 1)));
      if (pairs.every(([a, b]) => canPair(a, b))) return pairs;
    }
  }
  return fold(pool) ?? withFewestRematches(pool);
}

/** How many choices the search for a pairing without a rematch may take. */
const CHOICES = 20_000;

/** The highest against the lowest they have not met, and so on; the first such pairing, null when none was found. */
function fold(pool: readonly MajorPlayer[], budget = { left: CHOICES }): Pairs | null {
  const [highest, ...rest] = pool;
  if (!highest) return [];
  for (const opponent of rest.toReversed()) {
    if (!canPair(highest, opponent)) continue;
    if (budget.left-- <= 0) return null;
    const pairs = fold(without(rest, opponent), budget);
    if (pairs) return [[highest, opponent], ...pairs];
  }
  return null;
}

function largestMatching(pool: readonly MajorPlayer[]) {
  const matching: Matching = new Int32Array(pool.length).fill(-1);
  const indexes = pool.map((_, index) => index);
  const canPairAt = (a: number, b: number) => {
    const [first, second] = [pool[a], pool[b]];
    return first !== undefined && second !== undefined && canPair(first, second);
  };
  const single = enlargeMatching(matching, indexes, canPairAt);
  return { matching, indexes, canPairAt, single };
}

function withFewestRematches(pool: readonly MajorPlayer[]): Pairs {
  const { matching, indexes } = largestMatching(pool);
  const single = pool.filter((_, index) => matching[index] === -1);
  const paired = indexes.filter((index) => (matching[index] ?? -1) > index);
  return [
    ...paired.flatMap((index) =>
      zip(pool.slice(index, index + 1), pool.slice(matching[index], (matching[index] ?? 0) + 1)),
    ),
    ...zip(single.slice(0, single.length / 2), single.slice(single.length / 2).reverse()),
  ];
}
