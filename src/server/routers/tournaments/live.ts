import { liveEvents } from '@/server/events/live';
import { watchTournament } from '@/server/routers/matches/reading/data-watched';
import { publicProcedure } from '@/server/trpc';
import { findVisible } from './data';
import { tournamentIdInput } from './schema';

/** A notice that something of a tournament changed. */
export type TournamentNotice = {
  type: string;
  aggregateType: string;
  aggregateId: string;
  /**
   * What changed in the bracket since the notice before, as JSON that is written once for all pages; null: read it
   * again.
   */
  patch: string | null;
};

/**
 * Notifies viewers that the tournament changed, with what changed in its bracket; the client reads the rest again. The first
 * notice, and the first after a gap, is `live.resumed`: read everything.
 */
export const live = publicProcedure.input(tournamentIdInput).subscription(async function* ({
  ctx,
  input,
  signal,
}): AsyncGenerator<TournamentNotice, void> {
  const { id, slug } = await findVisible(input.tournamentId, await ctx.user());
  const notices = liveEvents({ tournamentId: id }, signal ?? new AbortController().signal);
  const watch = watchTournament({ id, slug });
  try {
    await watch.next();
    yield { type: 'live.resumed', aggregateType: 'live', aggregateId: '', patch: null };
    for await (const { type, aggregateType, aggregateId } of notices) {
      // Whether outsiders may see the tournament is read with the change, once for all of them.
      const { visibleOutside, patch } = await watch.next();
      if (!visibleOutside) {
        // Ends for outsiders when it becomes private, and for members who leave the project or are signed out.
        ctx.forgetUser();
        await findVisible(id, await ctx.user());
      }
      yield { type, aggregateType, aggregateId, patch };
    }
  } finally {
    watch.close();
  }
});
