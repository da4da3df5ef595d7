import { Prisma } from '@/generated/prisma/client';

/**
 * The players of a participant at a time, as a subquery with the column `userId`: a substituted player keeps what they
 * played. Both arguments are columns of the query around it, whose aliases may not be h, o, p, r, v or x.
 */
export function playersAt(participantId: Prisma.Sql, at: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(
    SELECT p."userId" FROM "participant" p
    WHERE p."id" = ${participantId} AND p."type" = 'individual' AND p."userId" IS NOT NULL
    UNION
    SELECT o."userId" FROM (
      SELECT DISTINCT ON (v."userId") v."userId", v."wasOn" FROM (
        SELECT r."userId", true AS "wasOn", 'infinity'::timestamptz AS until, '' AS id
        FROM "roster_member" r WHERE r."participantId" = ${participantId} AND r."userId" IS NOT NULL
        UNION ALL
        SELECT x."userId", x."wasOn", h."createdAt", h."id"
        FROM "roster_change" h CROSS JOIN LATERAL (VALUES (h."outUserId", true), (h."inUserId", h."inWasOn")) x("userId", "wasOn")
        WHERE h."participantId" = ${participantId} AND h."createdAt" > ${at}
      ) v ORDER BY v."userId", v.until, v.id
    ) o WHERE o."wasOn"
  )`;
}

/**
 * What players have played, one row for each project, player and game, from the rows of their matches: `projectId`,
 * `userId`, `gameId`, `matches`, `wins`, `losses` and `lastPlayedAt`. Byes and forfeits count for nobody.
 * @param where condition on the match `m`, its tournament `t` and the participant `c."participantId"`
 */
export function playedBy(where: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    SELECT t."projectId", u."userId", t."gameId", count(*)::int AS "matches",
      (count(*) FILTER (WHERE c."result" = 'win'))::int AS "wins",
      (count(*) FILTER (WHERE c."result" = 'loss'))::int AS "losses", max(m."completedAt") AS "lastPlayedAt"
    FROM "match" m JOIN "tournament" t ON t."id" = m."tournamentId"
    CROSS JOIN LATERAL (VALUES (m."participantAId", m."slotA"->>'result'), (m."participantBId", m."slotB"->>'result'))
      c("participantId", "result")
    CROSS JOIN LATERAL ${playersAt(Prisma.sql`c."participantId"`, Prisma.sql`m."completedAt"`)} u
    WHERE m."decidedBy" = 'result' AND c."participantId" IS NOT NULL AND ${where}
    GROUP BY t."projectId", u."userId", t."gameId"`;
}
