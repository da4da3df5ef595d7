import { publicProcedure } from '@/server/trpc';
import { findVisible, readDetail } from './data';
import { tournamentDetail, tournamentIdInput } from './schema';

export const get = publicProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/tournaments/{tournamentId}',
      tags: ['Tournaments'],
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
