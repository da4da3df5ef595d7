import { Prisma } from '@/generated/prisma/client';
import { isConfirmed } from '@/server/routers/tournaments/data';

/**
 * Whether a user has agreed to play for the participant `p`, as SQL: it is theirs, or they are on its roster. One by staff counts
 * for an account whose address is confirmed.
 */
export function playsFor(userId: string | null | Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(p."userId" = ${userId} AND (p."acceptedAt" IS NOT NULL OR ${isConfirmed(userId)}) OR EXISTS (
    SELECT FROM "roster_member" o
    WHERE o."participantId" = p."id" AND o."userId" = ${userId} AND o."acceptedAt" IS NOT NULL))`;
}

/**
 * Anybody can name a player in hundreds of tournaments: so many are theirs to read until they agree, the latest of everybody who
 * named them before the next of anybody.
 */
const maxNamed = 25;

/**
 * The participants that a user is, or on whose rosters they are, as a part of a statement with `id`, and `accepted`: whether
 * the user has agreed to take part. Lists begin with those; of the others, there are 25. Those where staff named them are there
 * once their address is confirmed.
 */
export function ownParticipants(userId: string): Prisma.Sql {
  return Prisma.sql`
    SELECT "id", bool_or("accepted") AS "accepted" FROM (
      SELECT "id", true AS "accepted" FROM "participant" WHERE "userId" = ${userId} AND "acceptedAt" IS NOT NULL
      UNION ALL SELECT "participantId", true FROM "roster_member" WHERE "userId" = ${userId} AND "acceptedAt" IS NOT NULL
      UNION ALL SELECT "id", false FROM (
        SELECT "id" FROM (
          SELECT "id", row_number() OVER (PARTITION BY "namedBy" ORDER BY "id" DESC) AS place FROM (
            SELECT "id", "decidedById" AS "namedBy" FROM "participant" WHERE "userId" = ${userId} AND "acceptedAt" IS NULL
              AND ${isConfirmed(userId)}
            UNION SELECT "participantId", "addedById" FROM "roster_member" WHERE "userId" = ${userId} AND "acceptedAt" IS NULL
              AND (NOT "addedByStaff" OR ${isConfirmed(userId)})
          ) named
        ) placed ORDER BY place, "id" DESC LIMIT ${maxNamed}
      ) latest
    ) place GROUP BY "id"`;
}
