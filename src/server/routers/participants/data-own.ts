import { Prisma } from '@/generated/prisma/client';

/**
 * The participants that a user is, or on whose rosters they are, as a part of a statement with `id`, and `accepted`: whether
 * the user has agreed to take part. Lists begin with those: anybody can name a player in a hundred tournaments.
 */
export function ownParticipants(userId: string): Prisma.Sql {
  return Prisma.sql`
    SELECT "id", bool_or("accepted") AS "accepted" FROM (
      SELECT "id", "acceptedAt" IS NOT NULL AS "accepted" FROM "participant" WHERE "userId" = ${userId}
      UNION ALL SELECT "participantId", "acceptedAt" IS NOT NULL FROM "roster_member" WHERE "userId" = ${userId}
    ) place GROUP BY "id"`;
}
