import { db } from '@/server/db';
import { liveEvents } from '@/server/events/live';
import { userProcedure } from '@/server/trpc';

const mostFollowed = 200;

/** The tournaments that are not over and in which a user is, or on a roster; at most 200, latest entered first. */
async function enteredTournamentIds(userId: string): Promise<string[]> {
  const rows = await db.$queryRaw<{ tournamentId: string }[]>`
    SELECT p."tournamentId" FROM (
      SELECT "id" FROM "participant" WHERE "userId" = ${userId}
      UNION SELECT "participantId" FROM "roster_member" WHERE "userId" = ${userId}
    ) own JOIN "participant" p USING ("id") JOIN "tournament" t ON t."id" = p."tournamentId"
    WHERE p."registrationStatus" NOT IN ('cancelled', 'rejected') AND t."status" IN ('PUBLISHED', 'IN_PROGRESS')
    ORDER BY p."registeredAt" DESC LIMIT ${mostFollowed}`;
  return rows.map((row) => row.tournamentId);
}

/**
 * Says that something about the caller's registrations or their tournaments changed, never what: readers read again.
 * The first notice, and any after a gap, is `live.resumed`: read everything. Whoever is signed out hears no more.
 */
export const live = userProcedure.subscription(async function* ({ ctx, signal }) {
  const userId = ctx.actingUser.id;
  const tournamentIds = new Set<string>();
  // Listens before it reads, so that what happens in between is not missed.
  const notices = liveEvents({ userId, tournamentIds }, signal ?? new AbortController().signal);
  for (const id of await enteredTournamentIds(userId)) tournamentIds.add(id);
  yield { type: 'live.resumed', tournamentId: null };
  for await (const { type, tournamentId, userId: concerned } of notices) {
    ctx.forgetUser();
    await ctx.requireUser();
    if (tournamentId && concerned === userId) tournamentIds.add(tournamentId);
    yield { type, tournamentId };
  }
});
