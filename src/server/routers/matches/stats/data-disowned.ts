import { db } from '@/server/db';
import { findLocked } from '@/server/routers/tournaments/data';
import { recountPlayers } from './data-claims';

/** An account that has lost what it had agreed to, in a tournament where it was substituted before that. */
export type Disowned = { userId: string; tournamentId: string; projectId: string };

/**
 * Where accounts are still to lose what they played, those first that were taken over first.
 * @param userId whose; left out: everybody's
 */
export function findDisowned(limit: number, userId: string | null = null): Promise<Disowned[]> {
  return db.$queryRaw<Disowned[]>`
    SELECT c."outUserId" AS "userId", c."tournamentId", t."projectId"
    FROM "roster_change" c JOIN "tournament" t ON t."id" = c."tournamentId"
    WHERE c."disownedAt" IS NOT NULL AND (${userId}::text IS NULL OR c."outUserId" = ${userId})
    GROUP BY c."outUserId", c."tournamentId", t."projectId" ORDER BY min(c."disownedAt") LIMIT ${limit}`;
}

/** Takes what an account played in a tournament for teams in which it was substituted out of its statistics and the feeds. */
export async function recountDisowned({ userId, tournamentId }: Omit<Disowned, 'projectId'>): Promise<void> {
  await db.$transaction(async (tx) => {
    if (!(await findLocked(tx, tournamentId, { id: true }))) return;
    const changes = await tx.rosterChange.updateManyAndReturn({
      where: { tournamentId, outUserId: userId, disownedAt: { not: null } },
      data: { disownedAt: null },
      select: { participantId: true },
    });
    const participantIds = [...new Set(changes.map(({ participantId }) => participantId))];
    await recountPlayers(tx, tournamentId, [{ userId, participantIds, everything: true }]);
  });
}
