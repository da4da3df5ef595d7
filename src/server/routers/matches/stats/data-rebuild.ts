import { finalPlaces } from '@/domain/brackets/play/outcomes';
import { Prisma } from '@/generated/prisma/client';
import { db, type Tx } from '@/server/db';
import { readPlay } from '@/server/routers/matches/data-bracket';
import { feedCounts, isCountedEvent } from './data-feed';
import { playedBy, playersAt } from './data-players';

type Place = { tournamentId: string; participantId: string; rank: number };

async function readPlaces(tx: Tx): Promise<Place[]> {
  const completed = await tx.tournament.findMany({ where: { status: 'COMPLETED' }, select: { id: true } });
  const places: Place[] = [];
  for (const { id: tournamentId } of completed) {
    const play = await readPlay(tx, tournamentId);
    if (!play) continue;
    places.push(...finalPlaces(play.bracket).map(({ participantId, rank }) => ({ tournamentId, participantId, rank })));
  }
  return places;
}

/**
 * Computes all statistics of players anew from matches, feeds and final ranks. Changes of play wait until it is done.
 * @returns the number of rows written
 */
export function rebuildStats(): Promise<number> {
  return db.$transaction(
    async (tx) => {
      // Everything counted so far is committed by now, and the next statements see it.
      await tx.$executeRaw`LOCK TABLE "player_stats" IN SHARE ROW EXCLUSIVE MODE`;
      const places = await readPlaces(tx);
      await tx.$executeRaw`DELETE FROM "player_stats"`;
      return tx.$executeRaw`
        WITH played AS (${playedBy(Prisma.sql`true`)}),
        shot AS (
          SELECT t."projectId", e."userId", t."gameId", ${feedCounts}
          FROM "match_event" e JOIN "match" m ON m."id" = e."matchId" JOIN "tournament" t ON t."id" = m."tournamentId"
          WHERE ${isCountedEvent} GROUP BY t."projectId", e."userId", t."gameId"
        ),
        ranked AS (
          SELECT r."projectId", r."userId", r."gameId", jsonb_object_agg(r."tournamentId", r."rank") AS "placements" FROM (
            SELECT t."projectId", u."userId", t."gameId", t."id" AS "tournamentId", min(c."rank") AS "rank"
            FROM jsonb_to_recordset(${JSON.stringify(places)}::jsonb)
              AS c("tournamentId" text, "participantId" text, "rank" int)
            JOIN "tournament" t ON t."id" = c."tournamentId"
            CROSS JOIN LATERAL ${playersAt(Prisma.sql`c."participantId"`, Prisma.sql`'infinity'::timestamptz`)} u
            GROUP BY t."projectId", u."userId", t."gameId", t."id"
          ) r GROUP BY r."projectId", r."userId", r."gameId"
        )
        INSERT INTO "player_stats" ("projectId", "userId", "gameId", "matches", "wins", "losses", "kills", "deaths",
          "assists", "placements", "lastPlayedAt", "updatedAt")
        SELECT "projectId", "userId", "gameId", coalesce("matches", 0), coalesce("wins", 0), coalesce("losses", 0),
          coalesce("kills", 0), coalesce("deaths", 0), coalesce("assists", 0), coalesce("placements", '{}'), "lastPlayedAt",
          clock_timestamp()
        FROM played FULL JOIN shot USING ("projectId", "userId", "gameId")
          FULL JOIN ranked USING ("projectId", "userId", "gameId")`;
    },
    { timeout: 600_000, maxWait: 60_000 },
  );
}
