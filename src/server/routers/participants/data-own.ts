import { Prisma } from '@/generated/prisma/client';

/** Anybody can name a player in hundreds of tournaments: so many of the latest are theirs to read until they agree. */
const maxNamed = 25;

/**
 * The participants that a user is, or on whose rosters they are, as a part of a statement with `id`, and `accepted`: whether
 * the user has agreed to take part. Lists begin with those; of the others, there are the 25 latest.
 */
export function ownParticipants(userId: string): Prisma.Sql {
  return Prisma.sql`
    SELECT "id", bool_or("accepted") AS "accepted" FROM (
      SELECT "id", true AS "accepted" FROM "participant" WHERE "userId" = ${userId} AND "acceptedAt" IS NOT NULL
      UNION ALL SELECT "participantId", true FROM "roster_member" WHERE "userId" = ${userId} AND "acceptedAt" IS NOT NULL
      UNION ALL SELECT "id", false FROM (
        SELECT "id" FROM "participant" WHERE "userId" = ${userId} AND "acceptedAt" IS NULL
        UNION SELECT "participantId" FROM "roster_member" WHERE "userId" = ${userId} AND "acceptedAt" IS NULL
        ORDER BY "id" DESC LIMIT ${maxNamed}
      ) named
    ) place GROUP BY "id"`;
}
