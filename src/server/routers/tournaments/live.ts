import { Prisma } from '@/generated/prisma/client';
import type { Context } from '@/server/context';
import { db, rowsOf } from '@/server/db';
import { liveEvents, writeInTurn } from '@/server/events/live-events';
import { Batcher } from '@/server/jobs/embedded/batcher';
import { watchTournament } from '@/server/routers/matches/reading/data-watched';
import { publicProcedure } from '@/server/trpc';
import { findVisible, isVisibleTo, noSuchTournament } from './data';
import { tournamentIdInput } from './schema';

/** A notice that something of a tournament changed. */
export type TournamentNotice = {
  type: string;
  aggregateType: string;
  /** Empty: several. */
  aggregateId: string;
  /**
   * What changed in the bracket since the notice before, as JSON that is written once for all pages; null: read it
   * again.
   */
  patch: string | null;
};

type Viewer = { tournamentId: string; userId: string | null };

/** Whether viewers may still see tournaments that outsiders do not see. All streams ask at once, and share a statement. */
const stillAdmitted = new Batcher<Viewer, boolean>(500, async (viewers) => {
  const asked = JSON.stringify(viewers.map((viewer, place) => ({ place, ...viewer })));
  const rows = await rowsOf<{ place: number }>(
    db,
    Prisma.sql`
    SELECT a."place" FROM json_to_recordset(${asked}::json) AS a("place" int, "tournamentId" text, "userId" text)
    JOIN "tournament" t ON t."id" = a."tournamentId"
    WHERE ${isVisibleTo(Prisma.sql`a."userId"`)}`,
  );
  const admitted = new Set(rows.map(({ place }) => place));
  return viewers.map((_, place) => admitted.has(place));
});

type Followed = { ctx: Context; id: string; slug: string; signal: AbortSignal };

async function* noticesOf({ ctx, id, slug, signal }: Followed): AsyncGenerator<TournamentNotice, void> {
  const { notices } = liveEvents([id], signal);
  const watch = watchTournament({ id, slug });
  try {
    await watch.next();
    yield { type: 'live.resumed', aggregateType: 'live', aggregateId: '', patch: null };
    for await (const notice of notices) {
      const { type, aggregateType, aggregateId } = notice;
      // Whether outsiders may see the tournament is read with the change, once for all of them.
      const { visibleOutside, patch } = await watch.next();
      if (!visibleOutside) {
        // Ends for outsiders when it becomes private, and for members who leave the project or are signed out.
        ctx.forgetUser();
        const userId = (await ctx.user())?.id ?? null;
        if (!(await stillAdmitted.add({ tournamentId: id, userId }))) throw noSuchTournament();
      }
      await writeInTurn(notice);
      yield { type, aggregateType, aggregateId, patch };
    }
  } finally {
    watch.close();
  }
}

/**
 * Notifies viewers that the tournament changed, with what changed in its bracket; the client reads the rest again. The first
 * notice, and the first after a gap, is `live.resumed`: read everything.
 */
export const live = publicProcedure.input(tournamentIdInput).subscription(async ({ ctx, input, signal }) => {
  const { id, slug } = await findVisible(input.tournamentId, await ctx.user());
  return noticesOf({ ctx, id, slug, signal: signal ?? new AbortController().signal });
});
