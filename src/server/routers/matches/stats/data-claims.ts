import { finalPlaces } from '@/domain/brackets/play/outcomes';
import { Prisma } from '@/generated/prisma/client';
import type { Tx } from '@/server/db';
import { readPlay } from '@/server/routers/matches/data-bracket';
import { playedBy } from './data-players';

/**
 * Counts for an account what the participant that it has just taken over has played so far, and the final rank if the
 * tournament is over. The tournament must be locked.
 */
export async function creditMatches(
  tx: Tx,
  { tournamentId, participantId, userId }: { tournamentId: string; participantId: string; userId: string },
): Promise<void> {
  const { status, bracket } = await tx.tournament.findUniqueOrThrow({
    where: { id: tournamentId },
    select: { status: true, bracket: { select: { tournamentId: true } } },
  });
  if (!bracket) return;
  // Reading a large draw holds up everybody else, and only the end of a tournament needs it.
  const play = status === 'COMPLETED' ? await readPlay(tx, tournamentId) : null;
  const place = play && finalPlaces(play.bracket).find((one) => one.participantId === participantId);
  const placements = JSON.stringify(place ? { [tournamentId]: place.rank } : {});
  const theirs = Prisma.sql`m."tournamentId" = ${tournamentId} AND c."participantId" = ${participantId}`;
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
