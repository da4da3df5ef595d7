import { tracked } from '@trpc/server';
import { pageArgs, toPage } from '@/server/envelope';
import { liveEvents } from '@/server/live';
import { projectProcedure, publicProcedure, router } from '@/server/trpc';
import { findVisible, listTournaments, readDetail } from './data';
import { cancel, closeCheckIn, closeRegistration, openCheckIn, openRegistration, publish } from './lifecycle';
import {
  gamesOutput,
  listTournamentsInput,
  listTournamentsOutput,
  projectTournamentsInput,
  projectTournamentsOutput,
  tournamentDetail,
  tournamentIdInput,
  tournamentStatus,
} from './schema';
import { create, remove, update } from './settings';

const tags = ['Tournaments'];

const list = publicProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/tournaments',
      tags,
      summary: 'List public tournaments',
      description: 'Published, public tournaments of every project. Unlisted ones are found by their address alone.',
    },
  })
  .input(listTournamentsInput)
  .output(listTournamentsOutput)
  .query(async ({ input }) => {
    const sort = input.sort ?? (input.phase === 'past' ? '-startDate' : 'startDate');
    const { items, total } = await listTournaments({ kind: 'public', ...input }, { sort, ...pageArgs(input) });
    return toPage(items, total, input);
  });

const get = publicProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/tournaments/{tournamentId}',
      tags,
      summary: 'Read a tournament',
      description: 'By id or slug. Drafts and private tournaments exist for members of their project alone.',
    },
    errors: ['NOT_FOUND'],
  })
  .input(tournamentIdInput)
  .output(tournamentDetail)
  .query(async ({ ctx, input }) => {
    const { id, canManage } = await findVisible(input.tournamentId, await ctx.user());
    return readDetail(ctx.db, id, canManage);
  });

/** The dashboard's list: every state, drafts included. */
const forProject = projectProcedure('tournaments:read')
  .input(projectTournamentsInput)
  .output(projectTournamentsOutput)
  .query(async ({ ctx, input }) => {
    const { projectId } = ctx.scope;
    const [{ items, total }, groups] = await Promise.all([
      listTournaments(
        { ...input, kind: 'project', projectId },
        { sort: input.sort ?? '-startDate', ...pageArgs(input) },
      ),
      ctx.db.tournament.groupBy({ by: ['status'], where: { projectId }, _count: true }),
    ]);
    const counts = { DRAFT: 0, PUBLISHED: 0, IN_PROGRESS: 0, COMPLETED: 0, CANCELLED: 0 };
    for (const group of groups) counts[tournamentStatus.parse(group.status)] = group._count;
    return { ...toPage(items, total, input), counts };
  });

/** Every game, for forms and filters. */
const games = publicProcedure
  .output(gamesOutput)
  .query(({ ctx }) => ctx.db.game.findMany({ select: { id: true, name: true }, orderBy: { name: 'asc' } }));

/**
 * Says that something about the tournament changed, never what: readers read again. The first notice, and any after a
 * gap, is `live.resumed`: read everything.
 */
const live = publicProcedure.input(tournamentIdInput).subscription(async function* ({ ctx, input, signal }) {
  const user = await ctx.user();
  const { id } = await findVisible(input.tournamentId, user);
  const notices = liveEvents({ tournamentId: id }, signal ?? new AbortController().signal);
  yield tracked('', { type: 'live.resumed', aggregateType: 'live', aggregateId: '' });
  for await (const { id: eventId, type, aggregateType, aggregateId } of notices) {
    // A tournament that became private must fall silent for outsiders.
    if (type === 'tournament.updated') await findVisible(id, user);
    yield tracked(eventId, { type, aggregateType, aggregateId });
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
});
