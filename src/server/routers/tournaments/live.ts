import { isVisibleOutside } from '@/domain/tournaments/visibility';
import { liveEvents } from '@/server/events/live';
import { publicProcedure } from '@/server/trpc';
import { findVisible } from './data';
import { tournamentIdInput } from './schema';

/**
 * Notifies viewers that the tournament changed; the client then reads it again. The first notice, and the first after a
 * gap, is `live.resumed`: read everything.
 */
export const live = publicProcedure.input(tournamentIdInput).subscription(async function* ({ ctx, input, signal }) {
  const found = await findVisible(input.tournamentId, await ctx.user());
  const { id } = found;
  let visibleOutside = isVisibleOutside(found);
  const notices = liveEvents({ tournamentId: id }, signal ?? new AbortController().signal);
  yield { type: 'live.resumed', aggregateType: 'live', aggregateId: '' };
  for await (const { type, aggregateType, aggregateId } of notices) {
    // Ends for outsiders when the tournament becomes private, and for members who leave the project or are signed out.
    if (!visibleOutside || type === 'tournament.updated') {
      ctx.forgetUser();
      visibleOutside = isVisibleOutside(await findVisible(id, await ctx.user()));
    }
    yield { type, aggregateType, aggregateId };
  }
});
