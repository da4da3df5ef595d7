import { finalPlaces } from '@/domain/brackets/play/outcomes';
import { Prisma } from '@/generated/prisma/client';
import { db, type Tx } from '@/server/db';
import { refuse } from '@/server/errors';
import { readPlay } from '@/server/routers/matches/data-bracket';
import { offloadLarge } from '@/server/routers/matches/data-size';
import { participantsWith, playedBy } from './data-players';

/** A participant of a tournament. */
type Claimed = { tournamentId: string; participantId: string };

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
 * tournament is over. The tournament must be locked.
 * @param known from `findFinalRank`
 */
export async function creditMatches(
  tx: Tx,
  { tournamentId, participantId, userId }: Claimed & { userId: string },
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
  const theirs = Prisma.sql`c."tournamentId" = ${tournamentId} AND c."participantId" = ${participantId}`;
  await tx.$executeRaw`
    INSERT INTO "player_stats" AS s ("projectId", "userId", "gameId", "matches", "wins", "losses", "placements",
      "lastPlayedAt", "updatedAt")
    SELECT t."projectId", ${userId}, t."gameId", coalesce(p."matches", 0), coalesce(p."wins", 0), coalesce(p."losses", 0),
      ${placements}::jsonb, p."lastPlayedAt", clock_timestamp()
    FROM "tournament" t LEFT JOIN (${playedBy(theirs)}) p ON p."userId" = ${userId}
    WHERE t."id" = ${tournamentId}
    ON CONFLICT ("projectId", "userId", "gameId") DO UPDATE SET
      "matches" = s."matches" + excluded."matches", "wins" = s."wins" + excluded."wins",
      "losses" = s."losses" + excluded."losses", "placements" = s."placements" || excluded."placements",
      "lastPlayedAt" = greatest(s."lastPlayedAt", excluded."lastPlayedAt"), "updatedAt" = excluded."updatedAt"`;
}

/**
 * Computes anew what a player has played in the game of a tournament, after they left a participant of it to which they never
 * agreed: neither its matches nor its final rank count for them any longer. The tournament must be locked.
 */
export async function recountPlayer(
  tx: Tx,
  { tournamentId, userId }: { tournamentId: string; userId: string },
): Promise<void> {
  // Locks the row before matches are read: a result of another tournament that is not seen then is added after the commit.
  const [row] = await tx.$queryRaw<{ projectId: string; gameId: string }[]>`
    UPDATE "player_stats" p SET "placements" = p."placements" - ${tournamentId}::text
    FROM "tournament" t
    WHERE t."id" = ${tournamentId} AND p."projectId" = t."projectId" AND p."gameId" = t."gameId" AND p."userId" = ${userId}
    RETURNING p."projectId", p."gameId"`;
  if (!row) return;
  const { projectId, gameId } = row;
  const theirs = Prisma.sql`c."participantId" = ANY(${await participantsWith(tx, [userId])})`;
  const played = playedBy(Prisma.sql`t."projectId" = ${projectId} AND t."gameId" = ${gameId} AND ${theirs}`);
  await tx.$executeRaw`
    UPDATE "player_stats" s SET "matches" = coalesce(p."matches", 0), "wins" = coalesce(p."wins", 0),
      "losses" = coalesce(p."losses", 0), "lastPlayedAt" = p."lastPlayedAt", "updatedAt" = clock_timestamp()
    FROM (SELECT ${userId}::text AS "userId") u LEFT JOIN (${played}) p USING ("userId")
    WHERE s."projectId" = ${projectId} AND s."gameId" = ${gameId} AND s."userId" = u."userId"`;
}
