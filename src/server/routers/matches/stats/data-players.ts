import { Prisma } from '@/generated/prisma/client';
import type { Tx } from '@/server/db';

/**
 * Who left or came by a substitution `h`, as `x`, and whether they were on the roster until then. Who left without having accepted
 * has played nothing for it, as if they had left by themselves.
 */
const changes = Prisma.sql`"roster_change" h CROSS JOIN LATERAL
  (VALUES (h."outUserId", true, h."outAccepted"), (h."inUserId", h."inWasOn", true)) x("userId", "wasOn", "counts")`;

/**
 * The players of a participant at a time, as a subquery with the column `userId`: a substituted player who had accepted
 * keeps what they played. Both arguments are columns of the query around it, whose aliases may not be h, o, p, r, v or x.
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
        FROM ${changes}
        WHERE x."counts" AND h."participantId" = ${participantId} AND h."createdAt" > ${at}
      ) v ORDER BY v."userId", v.until, v.id
    ) o WHERE o."wasOn"
  )`;
}

/**
 * The players of a participant and from when (`since`) until before when (`until`) each was one, as a subquery. The
 * argument is a column of the query around it, whose aliases may not be h, o, p, r, v or x.
 */
function playersOf(participantId: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(
    SELECT p."userId", '-infinity'::timestamptz AS since, 'infinity'::timestamptz AS until FROM "participant" p
    WHERE p."id" = ${participantId} AND p."type" = 'individual' AND p."userId" IS NOT NULL
    UNION ALL
    SELECT o."userId", o.since, o.until FROM (
      SELECT v."userId", v."wasOn", v.until,
        coalesce(lag(v.until) OVER (PARTITION BY v."userId" ORDER BY v.until, v.id), '-infinity') AS since
      FROM (
        SELECT r."userId", true AS "wasOn", 'infinity'::timestamptz AS until, '' AS id
        FROM "roster_member" r WHERE r."participantId" = ${participantId} AND r."userId" IS NOT NULL
        UNION ALL
        SELECT x."userId", x."wasOn", h."createdAt", h."id"
        FROM ${changes}
        WHERE x."counts" AND h."participantId" = ${participantId}
      ) v
    ) o WHERE o."wasOn"
  )`;
}

/**
 * The participants that players are or were part of, as ids: a list of them has PostgreSQL look up the matches of each where
 * a condition would have it read all matches.
 */
export async function participantsWith(tx: Tx, userIds: readonly string[]): Promise<string[]> {
  const rows = await tx.$queryRaw<{ id: string }[]>`
    SELECT "id" FROM "participant" WHERE "userId" = ANY(${userIds})
    UNION SELECT "participantId" FROM "roster_member" WHERE "userId" = ANY(${userIds})
    UNION SELECT x."participantId" FROM "roster_change" x WHERE x."outUserId" = ANY(${userIds})`;
  return rows.map(({ id }) => id);
}

/**
 * What players have played, one row for each project, player and game, from the rows of their matches: `projectId`,
 * `userId`, `gameId`, `matches`, `wins`, `losses` and `lastPlayedAt`. Byes and forfeits count for nobody. Substitutions
 * of a participant are read once for all of its matches.
 * @param where condition on the tournament `t` and on a participant's side of a match, `c`: its `tournamentId` and
 * `participantId`, each with an index, so that of a player only what they played is read
 */
export function playedBy(where: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    SELECT g."projectId", u."userId", g."gameId", sum(m."matches")::int AS "matches", sum(m."wins")::int AS "wins",
      sum(m."losses")::int AS "losses", max(m."lastPlayedAt") AS "lastPlayedAt"
    FROM (
      SELECT t."projectId", t."gameId", c."participantId", array_agg(c."result") AS results, array_agg(c."completedAt") AS times
      FROM (
        SELECT a."tournamentId", a."participantAId" AS "participantId", a."slotA"->>'result' AS "result", a."completedAt"
        FROM "match" a WHERE a."decidedBy" = 'result'
        UNION ALL
        SELECT b."tournamentId", b."participantBId", b."slotB"->>'result', b."completedAt"
        FROM "match" b WHERE b."decidedBy" = 'result'
      ) c JOIN "tournament" t ON t."id" = c."tournamentId"
      WHERE c."participantId" IS NOT NULL AND ${where}
      GROUP BY t."projectId", t."gameId", c."participantId"
    ) g
    CROSS JOIN LATERAL ${playersOf(Prisma.sql`g."participantId"`)} u
    CROSS JOIN LATERAL (
      SELECT count(*) AS "matches", count(*) FILTER (WHERE e."result" = 'win') AS "wins",
        count(*) FILTER (WHERE e."result" = 'loss') AS "losses", max(e."completedAt") AS "lastPlayedAt"
      FROM unnest(g.results, g.times) e("result", "completedAt")
      WHERE e."completedAt" >= u.since AND e."completedAt" < u.until
    ) m
    WHERE m."matches" > 0
    GROUP BY g."projectId", u."userId", g."gameId"`;
}
