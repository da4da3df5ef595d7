import type { Context } from '@/server/context';
import { liveEvents, writeInTurn } from '@/server/events/live-events';
import { watchTournament } from '@/server/routers/matches/reading/data-watched';
import { publicProcedure } from '@/server/trpc';
import { findVisible, noSuchTournament, stillAdmitted } from './data';
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

/** What becomes of registrations is for managers: who has the id of a participant must not hear that they were rejected before. */
function shownOf({ type, aggregateType, aggregateId }: Omit<TournamentNotice, 'patch'>) {
  const isRegistration = aggregateType === 'participant' && type !== 'participant.eliminated';
  return isRegistration
    ? { type: 'participant.updated', aggregateType, aggregateId: '' }
    : { type, aggregateType, aggregateId };
}

type Followed = { ctx: Context; id: string; slug: string; projectId: string; signal: AbortSignal };

async function* noticesOf({ ctx, id, slug, projectId, signal }: Followed): AsyncGenerator<TournamentNotice, void> {
  const { notices } = liveEvents([id], signal);
  const watch = watchTournament({ id, slug, projectId }, ctx.ip);
  try {
    await watch.next();
    yield { type: 'live.resumed', aggregateType: 'live', aggregateId: '', patch: null };
    for await (const notice of notices) {
      // Whether outsiders may see the tournament is read with the change, once for all of them.
      const { visibleOutside, patch } = await watch.next();
      if (!visibleOutside) {
        // Ends for outsiders when it becomes private, and for members who leave the project or are signed out.
        ctx.recheckUser();
        const userId = (await ctx.user())?.id ?? null;
        if (!(await stillAdmitted.isTrueOf({ tournamentId: id, userId }))) throw noSuchTournament();
      }
      await writeInTurn(notice, ctx.ip);
      yield { ...shownOf(notice), patch };
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
  const { id, slug, projectId } = await findVisible(input.tournamentId, await ctx.user());
  return noticesOf({ ctx, id, slug, projectId, signal: signal ?? new AbortController().signal });
});
