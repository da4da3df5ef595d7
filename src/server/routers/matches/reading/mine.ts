import { readerOf } from '@/server/context';
import {
  myMatchesInput,
  myMatchesOutput,
  myNextMatchesInput,
  myNextMatchesOutput,
} from '@/server/routers/matches/schema';
import { userProcedure } from '@/server/trpc';
import { listNextMatches, listOwnMatches } from './data-mine';

/** Every match of the signed-in player, in any tournament. */
export const myMatches = userProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/me/matches',
      tags: ['Me'],
      summary: 'List your matches',
      description:
        'Those to be played first, by their time; then those that are over, latest first. Includes those of teams that have you on their roster; where you have not agreed to be on it, they come after your own.',
    },
  })
  .input(myMatchesInput)
  .output(myMatchesOutput)
  .query(async ({ ctx, input }) => listOwnMatches(ctx.db, await readerOf(ctx), ctx.actingUser.id, input));

/** The signed-in player's next match in each tournament they are playing in, or as one participant; for our pages only. */
export const myNextMatches = userProcedure
  .input(myNextMatchesInput)
  .output(myNextMatchesOutput)
  .query(async ({ ctx, input }) =>
    listNextMatches(ctx.db, await readerOf(ctx), ctx.actingUser.id, input.participantId ?? null),
  );
