import { Prisma } from '@/generated/prisma/client';
import { rowsOf, type Tx } from '@/server/db';
import { emit, notifyPages, type Origin } from '@/server/events/emit';
import { type ParticipantEventRow, participantEvent } from '@/server/routers/participants/data-events';

/**
 * Accepts the place that a user has with a participant of a locked tournament, if they have not: by saying so, or by acting for it
 * themselves. From then on they are there of their own accord, and not because somebody named them.
 * @returns whether there was anything to accept
 */
export async function acceptPlace(
  tx: Tx,
  by: Origin,
  { participantId, userId }: { participantId: string; userId: string },
): Promise<boolean> {
  // `invitationOf` says the same of a row.
  const mustAccept = Prisma.sql`CASE WHEN p."userId" = ${userId} THEN p."acceptedAt" IS NULL ELSE EXISTS (
    SELECT FROM "roster_member" o WHERE o."participantId" = p."id" AND o."userId" = ${userId} AND o."acceptedAt" IS NULL) END`;
  const [accepted] = await rowsOf<ParticipantEventRow & { projectId: string }>(
    tx,
    Prisma.sql`
    WITH accepted AS (
      UPDATE "participant" p SET "updatedAt" = clock_timestamp(),
        "acceptedAt" = CASE WHEN p."userId" = ${userId} THEN clock_timestamp() ELSE p."acceptedAt" END
      WHERE p."id" = ${participantId} AND ${mustAccept}
      RETURNING p."id", p."tournamentId", p."userId", p."name", p."type", p."registrationStatus", p."status", p."seed"
    ), place AS (
      UPDATE "roster_member" r SET "acceptedAt" = clock_timestamp(), "addedById" = NULL, "addedByStaff" = false
      FROM accepted WHERE r."participantId" = accepted."id" AND r."userId" = ${userId}
    )
    SELECT accepted.*, t."projectId" FROM accepted JOIN "tournament" t ON t."id" = accepted."tournamentId"`,
  );
  if (!accepted) return false;
  const { projectId, tournamentId } = accepted;
  const changes = ['acceptance' as const];
  await emit(tx, by, participantEvent('participant.updated', projectId, accepted, accepted, { changes }));
  // From now on, their open pages follow the tournament.
  notifyPages(tx, { type: 'acceptance.changed', projectId, tournamentId, userId });
  return true;
}
