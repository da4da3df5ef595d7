import type { Tx } from '@/server/db';
import { isKnownTo } from '@/server/routers/anticheat/data-clients';
import { ownParticipants } from '@/server/routers/participants/data-own';
import { hasRegistration } from '@/server/routers/tournaments/data';

type EnrollmentProject = { id: string; slug: string; name: string; required: boolean };

/**
 * The projects that a person plays in or is a member of, with how many there are: those of others who have only named them come last, and
 * are few (`ownParticipants`). Of each kind, those that ask for a client now come first.
 * With `projectId` only that one, whether or not they play in it, if they may enroll there.
 */
export async function listEnrollmentProjects(
  tx: Tx,
  userId: string,
  { projectId, skip, take }: { projectId: string | undefined; skip: number; take: number },
): Promise<{ items: EnrollmentProject[]; total: number }> {
  const only = projectId === undefined ? null : (await isKnownTo(tx, projectId, userId)) ? [projectId] : [];
  const rows = await tx.$queryRaw<(EnrollmentProject & { total: number })[]>`
    WITH played AS (
      SELECT p."tournamentId" FROM "participant" p WHERE p."userId" = ${userId}
      UNION SELECT r."tournamentId" FROM "roster_member" r WHERE r."userId" = ${userId}
    ), known AS (
      SELECT "projectId", bool_or("accepted") AS "accepted" FROM (
        SELECT "projectId", true AS "accepted" FROM "member" WHERE "userId" = ${userId} AND ${only}::text[] IS NULL
        UNION ALL SELECT t."projectId", own."accepted" FROM (${ownParticipants(userId)}) own
          JOIN "participant" p ON p."id" = own."id" JOIN "tournament" t ON t."id" = p."tournamentId" WHERE ${only}::text[] IS NULL
        UNION ALL SELECT unnest(${only}::text[]), true
      ) k GROUP BY "projectId"
    )
    SELECT o."id", o."slug", o."name", EXISTS (
      SELECT FROM played JOIN "tournament" t ON t."id" = played."tournamentId"
      WHERE t."projectId" = o."id" AND t."requiresAntiCheat" AND t."status" IN ('PUBLISHED', 'IN_PROGRESS')
        AND ${hasRegistration(userId)}) AS "required",
      (count(*) OVER ())::int AS "total"
    FROM known JOIN "project" o ON o."id" = known."projectId"
    ORDER BY known."accepted" DESC, "required" DESC, o."name", o."id" LIMIT ${take} OFFSET ${skip}`;
  return { items: rows.map(({ total: _, ...row }) => row), total: rows[0]?.total ?? 0 };
}
