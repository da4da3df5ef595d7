import { Prisma } from '@/generated/prisma/client';
import type { Tx } from '@/server/db';
import { refuse } from '@/server/errors';

type Game = { projectId: string; gameId: string };
type Tally = { userId: string; kills: number; deaths: number; assists: number };

/** The types of feed events that count, and the column each one counts in. */
const columnOf = { kill: 'kills', death: 'deaths', assist: 'assists' } as const;
const isCounted = (type: string): type is keyof typeof columnOf => type in columnOf;

/** Columns that count the events `e` of a group. */
export const feedCounts = Prisma.sql`
  (count(*) FILTER (WHERE e."type" = 'kill'))::int AS "kills",
  (count(*) FILTER (WHERE e."type" = 'death'))::int AS "deaths",
  (count(*) FILTER (WHERE e."type" = 'assist'))::int AS "assists"`;

/** Whether the player of an event `e` has left since without ever having agreed to its participant, and has played nothing for it. */
export const playedNothing = Prisma.sql`EXISTS (
  SELECT FROM "feed_departure" v WHERE v."participantId" = e."participantId" AND v."userId" = e."userId"
    AND v."times" @> e."createdAt")`;

/** Which events `e` are about what a player did, in the words of an index. */
const isOfPlayer = Prisma.sql`e."userId" IS NOT NULL AND e."type" IN ('kill', 'death', 'assist')`;

/** Which events `e` count at all. */
export const isCountedEvent = Prisma.sql`(${isOfPlayer} AND NOT ${playedNothing})`;

async function addTallies(tx: Tx, { projectId, gameId }: Game, tallies: readonly Tally[], sign: 1 | -1): Promise<void> {
  if (tallies.length === 0) return;
  await tx.$executeRaw`
    INSERT INTO "player_stats" AS s ("projectId", "userId", "gameId", "kills", "deaths", "assists", "updatedAt")
    SELECT ${projectId}, c."userId", ${gameId}, ${sign} * c."kills", ${sign} * c."deaths", ${sign} * c."assists",
      clock_timestamp()
    FROM jsonb_to_recordset(${JSON.stringify(tallies)}::jsonb)
      AS c("userId" text, "kills" int, "deaths" int, "assists" int) ORDER BY c."userId"
    ON CONFLICT ("projectId", "userId", "gameId") DO UPDATE SET "kills" = s."kills" + excluded."kills",
      "deaths" = s."deaths" + excluded."deaths", "assists" = s."assists" + excluded."assists",
      "updatedAt" = excluded."updatedAt"`;
}

/** Counts new events of a feed in the statistics of their players, in one statement. */
export function countFeed(tx: Tx, game: Game, events: readonly { type: string; userId: string | null }[]) {
  const tallies = new Map<string, Tally>();
  for (const { type, userId } of events) {
    if (userId === null || !isCounted(type)) continue;
    const tally = tallies.get(userId) ?? { userId, kills: 0, deaths: 0, assists: 0 };
    tally[columnOf[type]] += 1;
    tallies.set(userId, tally);
  }
  return addTallies(tx, game, [...tallies.values()], 1);
}

/**
 * How many events go with the matches that one change deletes: that takes three seconds. What takes longer than a
 * transaction may would be done in vain, and could be asked for again.
 */
const maxDeletedEvents = 1_000_000;

/**
 * Takes the feeds of matches that are about to be deleted out of the statistics, and locks the matches.
 * @throws INVALID_STATE where the feeds have too many events
 */
export async function uncountFeeds(tx: Tx, game: Game, matchIds: readonly string[]): Promise<void> {
  if (matchIds.length === 0) return;
  const ids = [...matchIds];
  const locked = await tx.$queryRaw<{ lastSequence: number }[]>`
    SELECT "lastSequence" FROM "match" WHERE "id" = ANY(${ids}) ORDER BY "id" FOR UPDATE`;
  if (locked.reduce((sum, { lastSequence }) => sum + lastSequence, 0) > maxDeletedEvents) {
    throw refuse('INVALID_STATE', {
      message: `The matches that this would delete have more than ${maxDeletedEvents} events, so they stay.`,
    });
  }
  const tallies = await tx.$queryRaw<Tally[]>`
    SELECT e."userId", ${feedCounts} FROM "match_event" e
    WHERE e."matchId" = ANY(${ids}) AND ${isCountedEvent} GROUP BY e."userId"`;
  await addTallies(tx, game, tallies, -1);
}

/** Locks the matches of participants, so that nobody adds to their feeds. */
export async function lockFeeds(tx: Tx, participantIds: readonly string[]): Promise<void> {
  const ids = [...participantIds];
  await tx.$executeRaw`
    SELECT FROM "match" m WHERE m."participantAId" = ANY(${ids}) OR m."participantBId" = ANY(${ids})
    ORDER BY m."id" FOR NO KEY UPDATE`;
}

/**
 * Takes a player out of the feeds of participants that they left without having agreed to them. What they did there before
 * they were substituted after having accepted stays, unless `everything` goes. What an earlier departure took out is not read
 * again: whoever names a player over and over would have each departure take longer than the one before. The feeds must be locked,
 * and the player must have left.
 * @returns what no longer counts for the player
 */
export async function leaveFeeds(
  tx: Tx,
  userId: string,
  participantIds: readonly string[],
  everything = false,
): Promise<Omit<Tally, 'userId'>> {
  const [tally] = await tx.$queryRaw<Omit<Tally, 'userId'>[]>`
    WITH stays AS (
      SELECT p, max(h."createdAt") AS since, clock_timestamp()::timestamptz(3) AS until
      FROM unnest(${[...participantIds]}::text[]) p LEFT JOIN "roster_change" h
        ON h."participantId" = p AND h."outUserId" = ${userId} AND h."outAccepted" AND NOT ${everything}
      GROUP BY p
    ), gone AS MATERIALIZED (
      -- The clock may have been set back since they were substituted.
      SELECT p, tstzmultirange(tstzrange(since, greatest(since, until), '(]')) AS times FROM stays
    ), kept AS (
      INSERT INTO "feed_departure" AS v ("participantId", "userId", "times") SELECT p, ${userId}, times FROM gone
      ON CONFLICT ("participantId", "userId") DO UPDATE SET "times" = v."times" + excluded."times"
    ), added AS (
      SELECT p, unnest(gone.times - coalesce(v."times", '{}')) AS span
      FROM gone LEFT JOIN "feed_departure" v ON v."participantId" = p AND v."userId" = ${userId}
    )
    SELECT coalesce(sum(c."kills"), 0)::int AS "kills", coalesce(sum(c."deaths"), 0)::int AS "deaths",
      coalesce(sum(c."assists"), 0)::int AS "assists"
    FROM added CROSS JOIN LATERAL (
      SELECT ${feedCounts} FROM "match_event" e
      WHERE e."participantId" = p AND e."userId" = ${userId} AND ${isOfPlayer}
        AND e."createdAt" > coalesce(lower(span), '-infinity') AND e."createdAt" <= upper(span)
    ) c`;
  return tally ?? { kills: 0, deaths: 0, assists: 0 };
}
