import { isVisibleOutside } from '@/domain/tournaments/visibility';
import { liveEvents } from '@/server/events/live';
import { publicProcedure, router } from '@/server/trpc';
import { bannerRouter } from './banner';
import { findVisible, readDetail } from './data';
import { cancel, publish } from './lifecycle';
import { forProject, games, list } from './list';
import { questionsRouter } from './questions/questions';
import { tournamentDetail, tournamentIdInput } from './schema';
import { create, remove, update } from './settings';
import { closeCheckIn, closeRegistration, openCheckIn, openRegistration } from './windows';

const tags = ['Tournaments'];

const get = publicProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/tournaments/{tournamentId}',
      tags,
      summary: 'Read a tournament',
      description: 'By id or slug. Only members of the project can see its drafts and private tournaments.',
    },
    errors: ['NOT_FOUND'],
  })
  .input(tournamentIdInput)
  .output(tournamentDetail)
  .query(async ({ ctx, input }) => {
    const { id, canManage } = await findVisible(input.tournamentId, await ctx.user());
    return readDetail(ctx.db, id, canManage);
  });

/**
 * Notifies viewers that the tournament changed; the client then reads it again. The first notice, and the first after a
 * gap, is `live.resumed`: read everything.
 */
const live = publicProcedure.input(tournamentIdInput).subscription(async function* ({ ctx, input, signal }) {
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

export const tournamentsRouter = router({
  list,
  get,
  forProject,
  games,
  live,
  create,
  update,
  remove,
  publish,
  cancel,
  openRegistration,
  closeRegistration,
  openCheckIn,
  closeCheckIn,
  banner: bannerRouter,
  questions: questionsRouter,
});
