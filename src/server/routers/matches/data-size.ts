import { matchesAtMost } from '@/domain/brackets/options';
import type { Format, FormatOptions } from '@/domain/brackets/types';
import { blockOf } from '@/domain/network/address-ranges';
import { pool } from '@/server/db';
import { refuse } from '@/server/errors';
import { gamesOf, hasManyGames } from '@/server/routers/matches/data-listed';
import { tournamentKey } from '@/server/routers/tournaments/data';
import type { RouteMeta } from '@/server/trpc';
import { hasWorker, offload } from '@/server/worker/offload';
import type { WorkerTurn } from '@/server/worker/thread';

/** What is asked about: a tournament by id or slug, or one by its match. */
export type SizeKey = { tournamentId: string } | { matchId: string };

/** Matches from which reading or changing a whole draw holds up everybody else's requests. */
const largeFrom = 257;
/** The same where all is worked out again for each of several participants or rounds: matches or participants times these. */
const largeInAllFrom = 1_024;
/** Matches from which to work on all of them takes longer than others should wait for the quick thread. */
const longFrom = 3_000;

/** How long it is remembered, in ms, that one is long and that it is not: hundreds can join it in one request. */
const longForMs = 10_000;
const otherForMs = 1_000;
const maxRemembered = 10_000;
/** What can be an id or a slug. Anybody may ask about anything, and what they ask with is remembered. */
const nameable = /^[\w-]{1,100}$/;

/** Bytes of a body that may contain a draw or a hundred participants, each of whose answers may be wrong. */
export const largeBody = 8 * 1024;

/** Bytes from which it takes as long as a long draw. */
const longBody = 128 * 1024;

/** Whether a call takes long for its own sake, so that it matters how large the draw is at this moment. */
export const isHeavy = ({ quotas }: Pick<RouteMeta, 'quotas'>): boolean => quotas?.includes('heavyCalls') ?? false;

/**
 * What of a tournament is read or written besides its matches: everybody on the rosters, all games that its matches can have, and
 * all rounds that a Swiss can have.
 */
type Extent = { withRosters?: boolean; withGames?: boolean; withRounds?: boolean };

export function extentOf(calls: readonly Pick<RouteMeta, 'wholeDraw'>[]): Extent {
  const isAny = (...kinds: RouteMeta['wholeDraw'][]) => calls.some(({ wholeDraw }) => kinds.includes(wholeDraw));
  return {
    withRosters: isAny('with rosters', 'with rosters and games'),
    withGames: isAny('with rosters and games', 'with games and rounds'),
    withRounds: isAny('with games and rounds'),
  };
}

/** Whose turn it has to be, and in which thread. */
export type LargeTurn = Required<Pick<WorkerTurn, 'owner' | 'isLong'>>;
/** A large draw, the turn in which to read or to change it, and who created its project. */
export type LargeDraw = LargeTurn & { tournamentId: string; account: string };

export const isLongDraw = (matches: number): boolean => matches >= longFrom;
export const isLongBody = (bytes: number): boolean => bytes > longBody;

/** Whose turns a body takes of which nobody knows yet whether its sender may change what it names. */
export const ownerOfBody = blockOf;

/** The turn of a body of so many bytes of which nobody knows yet what it says. */
export const turnOfBody = (ip: string, bytes: number): LargeTurn => ({
  owner: ownerOfBody(ip),
  isLong: isLongBody(bytes),
});

/** Refuses a request that works on a large draw more than once: each time takes a thread for as long as others should wait. */
export function refuseSeveral(): never {
  const message = 'A request can work on one large bracket, once. Send a request for each of the others.';
  throw refuse('VALIDATION_FAILED', { issues: [{ path: '', message }] });
}

/** As many people on rosters take as long as one match. */
const peopleOfMatch = 2;
/** A match counts as one more for each game past so many, which nearly all matches have at most, and as so many more at most. */
const usualGames = 4;
const gamesWeight = 15;

/** The same in a match with so many games. */
export const sizeOfMatch = (games: number): number => 1 + Math.min(gamesWeight, Math.max(0, games - usualGames));
/** More are not counted: it takes long anyway. */
export const maxPeople = 20_000;

/** How many registered for a tournament and are on its rosters, and no more than can be in a file. */
const peopleOf = (tournament: string): string => `(
  SELECT count(*)::int FROM (
    (SELECT FROM "participant" p WHERE p."tournamentId" = ${tournament} LIMIT ${maxPeople + 1})
    UNION ALL (SELECT FROM "roster_member" r WHERE r."tournamentId" = ${tournament} LIMIT ${maxPeople + 1})
  ) people)`;

/** What all games count that the matches of a tournament `t` can have, whether or not they are played. */
const ofAllGames = `(SELECT coalesce(sum(LEAST(${gamesWeight}, GREATEST(0, m."bestOf" - ${usualGames}))), 0)::int
  FROM "match" m WHERE m."tournamentId" = t."id")`;

/** The same of all matches that a draw with these options can have; of what brings rounds back, with all games of each. */
function sizeAtMost(format: Format, options: FormatOptions, participants: number, { withRounds }: Extent): number {
  const games = [options, ...(options.bestOfOverrides ?? [])].map(({ bestOf = 1 }) => bestOf);
  return matchesAtMost(format, options, participants) * (withRounds ? sizeOfMatch(Math.max(...games)) : 1);
}

/** `ranked`: what a correction ranks again in a Swiss, where it draws all later rounds anew, however few matches they have. */
type Size = { tournamentId: string; projectId: string; account: string; matches: number; ranked: number };
const remembered = new Map<string, { since: number; size: Promise<Size | null> }>();

async function readSize(key: SizeKey, extent: string, of: Extent): Promise<Size | null> {
  const { withRosters, withGames, withRounds } = of;
  const [name, column, value] =
    'matchId' in key
      ? ['match', `(SELECT m."tournamentId" FROM "match" m WHERE m."id" = $1)`, key.matchId]
      : ['id' in tournamentKey(key.tournamentId) ? 'id' : 'slug', '$1', key.tournamentId];
  const { rows } = await pool.query<{
    tournamentId: string;
    projectId: string;
    account: string;
    matches: number | null;
    ofGames: number;
    ofAllGames: number;
    swissRounds: number | null;
    participants: number;
    people: number;
    format: Format;
    options: FormatOptions | null;
  }>({
    name: `size_by_${name}${extent}`,
    // The games of many matches are not read: those with more than usual are in an index.
    text: `SELECT t."id" AS "tournamentId", t."projectId", coalesce(p."createdById", p."id") AS account, m.matches, t."format",
        CASE WHEN m.matches < ${largeFrom}
          THEN (SELECT sum(LEAST(${gamesWeight}, GREATEST(0, ${gamesOf.sql} - ${usualGames})))::int
            FROM "match" m WHERE m."tournamentId" = t."id")
          ELSE (SELECT ${gamesWeight} * count(*)::int FROM "match" m WHERE m."tournamentId" = t."id" AND ${hasManyGames.sql})
        END AS "ofGames",
        ${withGames ? ofAllGames : '0'} AS "ofAllGames",
        CASE WHEN t."format" = 'swiss' AND m.matches < ${largeFrom}
          THEN (SELECT max(m."round") FROM "match" m WHERE m."tournamentId" = t."id" AND m."bracket" = 'group')
        END AS "swissRounds",
        GREATEST(t."currentParticipants",
          (SELECT cardinality(b."participantIds") FROM "bracket" b WHERE b."tournamentId" = t."id")) AS participants,
        ${withRosters ? peopleOf('t."id"') : '0'} AS people,
        CASE WHEN m.matches IS NULL${withRounds ? ` OR t."format" = 'swiss'` : ''} THEN t."formatOptions" END AS options
      FROM "tournament" t JOIN "project" p ON p."id" = t."projectId",
        LATERAL (SELECT max(x."number") AS matches FROM "match" x WHERE x."tournamentId" = t."id") m
      WHERE t."${name === 'slug' ? 'slug' : 'id'}" = ${column}`,
    values: [value],
  });
  const [row] = rows;
  if (!row) return null;
  const { tournamentId, projectId, account, participants, people, format, options } = row;
  const ofGames = Math.max(row.ofGames, row.ofAllGames);
  const atMost = options ? sizeAtMost(format, options, participants, of) : 0;
  const matches = Math.max((row.matches ?? 0) + ofGames, atMost, participants, people / peopleOfMatch);
  return { tournamentId, projectId, account, matches, ranked: participants * (row.swissRounds ?? 0) };
}

/** @param asked when the size was asked for: what somebody else has begun to read since is as new */
function sizeSince(asked: number, text: string, key: SizeKey, extent: string, of: Extent): Promise<Size | null> {
  const known = remembered.get(text);
  if (known && known.since >= asked) return known.size;
  if (remembered.size >= maxRemembered) remembered.clear();
  const size = readSize(key, extent, of);
  remembered.set(text, { since: performance.now(), size });
  size.catch(() => remembered.delete(text));
  return size;
}

type InTurn = <Result>(read: () => Promise<Result>) => Promise<Result>;
type Asking = Extent & { isHeavy?: boolean; times?: number; inTurn?: InTurn };
const atOnce: InTurn = (read) => read();

/**
 * Whether the draw of a tournament is so large that a worker thread reads and changes it.
 * @param use a project's draws are read by anybody and changed by few, who do not wait for the readers
 * @param isHeavy whether it is worked out anew, so that nothing but that it was long may be remembered, as for every change
 * @param times for how many participants it may be worked out, one after the other
 * @param inTurn reads the size when it is the caller's turn, where the caller has none yet: to count the people on rosters takes
 *   milliseconds
 * @returns null when it is not large, or does not exist
 */
export async function findLarge(
  key: SizeKey,
  use: 'read' | 'change',
  { isHeavy = false, times = 1, inTurn = atOnce, ...of }: Asking = {},
): Promise<LargeDraw | null> {
  const [kind, name] = 'matchId' in key ? ['match', key.matchId] : ['tournament', key.tournamentId];
  if (!nameable.test(name)) return null;
  const { withRosters, withGames, withRounds } = of;
  const extent = `${withRosters ? '_with_rosters' : ''}${withGames ? '_with_games' : ''}${withRounds ? '_with_rounds' : ''}`;
  const text = `${kind} ${name}${extent}`;
  const now = performance.now();
  const known = remembered.get(text);
  let size = known && now - known.since < longForMs ? await known.size : null;
  const wasLong = () => size !== null && isLongDraw(size.matches);
  if (!known || (!wasLong() && (isHeavy || use === 'change' || now - known.since > otherForMs)))
    size = await inTurn(() => sizeSince(now, text, key, extent, of));
  if (!size) return null;
  const inAll = Math.max(size.matches * times, isHeavy ? size.ranked : 0);
  if (size.matches < largeFrom && inAll < largeInAllFrom) return null;
  const { tournamentId, projectId, account, matches } = size;
  let isLong: LargeDraw['isLong'] = isLongDraw(matches);
  // What is read of a draw is mostly kept, and one match is little to change, however many there are.
  if (isLong && !isHeavy && !withRosters) isLong = use === 'read' ? 'at worst' : kind === 'tournament';
  return { tournamentId, account, owner: `${projectId} ${use}`, isLong };
}

/**
 * Work on the draw of one tournament, which the worker thread does when it is large.
 * @returns a function that takes the input and, for a request, who asks and whether they still wait
 */
export function offloadLarge<Input extends SizeKey, Output>(
  name: string,
  use: 'read' | 'change',
  work: (input: Input) => Promise<Output>,
): (input: Input, asking?: Omit<WorkerTurn, 'owner' | 'isLong'>) => Promise<Output> {
  const workElsewhere = offload(name, work);
  return async (input, asking) => {
    const large = hasWorker() ? await findLarge(input, use) : null;
    return large === null ? work(input) : workElsewhere({ ...asking, owner: large.owner, isLong: large.isLong }, input);
  };
}
