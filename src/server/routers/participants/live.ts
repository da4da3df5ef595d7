import { Prisma } from '@/generated/prisma/client';
import type { Context } from '@/server/context';
import { db } from '@/server/db';
import { type LiveEvents, liveEvents, maxFollowed, writeInTurn } from '@/server/events/live-events';
import { ViewerChecks } from '@/server/events/viewer-checks';
import { stillAdmitted } from '@/server/routers/tournaments/data';
import { userProcedure } from '@/server/trpc';
import { ownParticipants } from './data-own';

/** Pages read everything again, up to a second after a notice: what else happens meanwhile needs no notice of its own. */
const restMs = 1_000;

/**
 * The current tournaments that a user has agreed to play in; of too many for a stream the latest registrations, oldest first. Those where others named them
 * are not followed: a change of one would have the pages of all who were named read again.
 */
async function findMyTournamentIds(userId: string): Promise<string[]> {
  const rows = await db.$queryRaw<{ tournamentId: string }[]>`
    SELECT p."tournamentId" FROM (${ownParticipants(userId)}) own JOIN "participant" p USING ("id") JOIN "tournament" t ON t."id" = p."tournamentId"
    WHERE own."accepted" AND p."registrationStatus" NOT IN ('cancelled', 'rejected') AND t."status" IN ('PUBLISHED', 'IN_PROGRESS')
    ORDER BY p."registeredAt" DESC LIMIT ${maxFollowed}`;
  return rows.map((row) => row.tournamentId).reverse();
}

/** Whether players have agreed to take part in tournaments. */
const agreedTo = new ViewerChecks(
  (players) => Prisma.sql`
    SELECT a."place" FROM ${players}
    WHERE EXISTS (SELECT FROM "participant" p
        WHERE p."tournamentId" = a."tournamentId" AND p."userId" = a."userId" AND p."acceptedAt" IS NOT NULL)
      OR EXISTS (SELECT FROM "roster_member" r
        WHERE r."tournamentId" = a."tournamentId" AND r."userId" = a."userId" AND r."acceptedAt" IS NOT NULL)`,
);

type PlayerNotice = { type: string; tournamentId: string | null };
type Following = { ctx: Context; userId: string; events: LiveEvents };

async function* noticesOf({ ctx, userId, events }: Following): AsyncGenerator<PlayerNotice, void> {
  const resumed = { type: 'live.resumed', tournamentId: null };
  yield resumed;
  for await (const notice of events.notices) {
    const { type, aggregateType, tournamentId, userId: affected } = notice;
    // What a rule found about the caller is for staff alone, and so is that it found something.
    if (aggregateType === 'detection') continue;
    ctx.recheckUser();
    await ctx.requireUser();
    if (tournamentId && affected === userId) {
      if (await agreedTo.isTrueOf({ tournamentId, userId })) events.follow(tournamentId);
      else {
        // Anybody can import a player and change the registration all the time, but remove nobody again who had agreed.
        if (events.unfollow(tournamentId)) yield resumed;
        continue;
      }
    }
    // Viewers who may no longer see it get one notice to read again, in case a roster they are on has left, and nothing after it.
    else if (tournamentId && !(await stillAdmitted.isTrueOf({ tournamentId, userId }))) {
      events.unfollow(tournamentId);
      yield resumed;
      continue;
    }
    await writeInTurn(notice, ctx.ip);
    yield { type, tournamentId };
  }
}

/**
 * Notifies the caller that one of their registrations or tournaments changed; the client then reads it again. The first
 * notice, and the first after a gap, is `live.resumed`: read everything. Ends when the caller is signed out.
 */
export const live = userProcedure.subscription(async ({ ctx, signal }) => {
  const userId = ctx.actingUser.id;
  // Listens before it reads, so that no change in between is missed.
  const events = liveEvents([userId], signal ?? new AbortController().signal, restMs);
  for (const id of await findMyTournamentIds(userId)) events.follow(id);
  return noticesOf({ ctx, userId, events });
});
