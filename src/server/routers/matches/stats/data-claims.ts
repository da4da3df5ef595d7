import { finalPlaces } from '@/domain/brackets/play/outcomes';
import { Prisma } from '@/generated/prisma/client';
import { db, type Tx } from '@/server/db';
import { refuse } from '@/server/errors';
import { readPlay } from '@/server/routers/matches/data-bracket';
import { offloadLarge } from '@/server/routers/matches/data-size';
import { leaveFeeds, lockFeeds } from './data-feed';
import { participantsWith, playedBy } from './data-players';

/** A participant of a tournament. */
type Claimed = { tournamentId: string; participantId: string };

/** The key of a player's statistics. */
type Figures = { projectId: string; userId: string; gameId: string };

export type KnownRank = { version: number; rank: number | null };

/** The final rank of a participant as of a version of the bracket; null where there is none. */
async function readFinalRank({ tournamentId, participantId }: Claimed): Promise<KnownRank | null> {
  const play = await readPlay(db, tournamentId);
  const place = play && finalPlaces(play.bracket).find((one) => one.participantId === participantId);
  return play && { version: play.version, rank: place?.rank ?? null };
}

const readFinalRankOfLarge = offloadLarge('final-rank', 'read', readFinalRank);

/**
 * The final rank of a participant, if the tournament is over. For before the transaction that needs it: to read a large
 * draw takes the worker thread a while.
 */
export async function findFinalRank(claimed: Claimed, asking: { caller: string[] }): Promise<KnownRank | null> {
  const where = { id: claimed.tournamentId, status: 'COMPLETED' } as const;
  const over = await db.tournament.findUnique({ where, select: { id: true } });
  return over && readFinalRankOfLarge(claimed, asking);
}

/**
 * Counts for an account what the participant that it has just taken over has played so far, and the final rank if the
 * tournament is over. Its matches are counted anew, because it may have played for this participant before, or left another one of
 * the tournament. The tournament must be locked.
 * @param known from `findFinalRank`
 */
export async function creditMatches(
  tx: Tx,
  { tournamentId, userId }: { tournamentId: string; userId: string },
  known: KnownRank | null,
): Promise<void> {
  const { status, bracket } = await tx.tournament.findUniqueOrThrow({
    where: { id: tournamentId },
    select: { status: true, bracket: { select: { version: true } } },
  });
  if (!bracket) return;
  const isOver = status === 'COMPLETED';
  // It ended, or was corrected, since the rank was read.
  if (isOver && known?.version !== bracket.version)
    throw refuse('CONFLICT', { message: 'The result has just changed. Try again.' });
  const placements = JSON.stringify(isOver && known?.rank ? { [tournamentId]: known.rank } : {});
  const [row] = await tx.$queryRaw<Figures[]>`
    INSERT INTO "player_stats" AS s ("projectId", "userId", "gameId", "placements", "updatedAt")
    SELECT t."projectId", ${userId}, t."gameId", ${placements}::jsonb, clock_timestamp()
    FROM "tournament" t WHERE t."id" = ${tournamentId}
    ON CONFLICT ("projectId", "userId", "gameId") DO UPDATE SET
      "placements" = (s."placements" - ${tournamentId}::text) || excluded."placements"
    RETURNING s."projectId", s."userId", s."gameId"`;
  if (row) await recountMatches(tx, row);
}

/** A player who left participants to which they never agreed; `everything`: also before they were substituted after having accepted. */
type Departed = { userId: string; participantIds: readonly string[]; everything?: boolean };

/**
 * Computes anew what players have played in the game of a tournament, after they left participants of it to which they never
 * agreed, or were substituted there: neither matches, feeds nor final ranks of these count for them any longer. The tournament
 * must be locked, and the players must have left. Who is on a roster of it again keeps the final rank of that.
 */
export async function recountPlayers(tx: Tx, tournamentId: string, departed: readonly Departed[]): Promise<void> {
  await lockFeeds(
    tx,
    departed.flatMap(({ participantIds }) => participantIds),
  );
  // In the order in which results lock them.
  for (const { userId, participantIds, everything } of [...departed].sort((a, b) => (a.userId < b.userId ? -1 : 1))) {
    const { kills, deaths, assists } = await leaveFeeds(tx, userId, participantIds, everything);
    const [row] = await tx.$queryRaw<Figures[]>`
      UPDATE "player_stats" p SET "placements" = CASE WHEN EXISTS (
          SELECT FROM "roster_member" r WHERE r."tournamentId" = t."id" AND r."userId" = p."userId"
        ) THEN p."placements" ELSE p."placements" - t."id" END,
        "kills" = p."kills" - ${kills}, "deaths" = p."deaths" - ${deaths}, "assists" = p."assists" - ${assists}
      FROM "tournament" t
      WHERE t."id" = ${tournamentId} AND p."projectId" = t."projectId" AND p."gameId" = t."gameId" AND p."userId" = ${userId}
      RETURNING p."projectId", p."userId", p."gameId"`;
    if (row) await recountMatches(tx, row);
  }
}

/**
 * Reads anew which matches a player has played in a game. The row must be locked by an earlier statement: a result of another
 * tournament that is not seen here is then added after the commit.
 */
async function recountMatches(tx: Tx, { projectId, userId, gameId }: Figures): Promise<void> {
  const theirs = Prisma.sql`c."participantId" = ANY(${await participantsWith(tx, [userId])})`;
  const played = playedBy(Prisma.sql`t."projectId" = ${projectId} AND t."gameId" = ${gameId} AND ${theirs}`);
  await tx.$executeRaw`
    UPDATE "player_stats" s SET "matches" = coalesce(p."matches", 0), "wins" = coalesce(p."wins", 0),
      "losses" = coalesce(p."losses", 0), "lastPlayedAt" = p."lastPlayedAt", "updatedAt" = clock_timestamp()
    FROM (SELECT ${userId}::text AS "userId") u LEFT JOIN (${played}) p USING ("userId")
    WHERE s."projectId" = ${projectId} AND s."gameId" = ${gameId} AND s."userId" = u."userId"`;
}
