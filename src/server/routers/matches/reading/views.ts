import { can } from '@/domain/projects/permissions';
import { isVisibleOutside } from '@/domain/tournaments/visibility';
import type { AuthUser } from '@/server/auth/bearer';
import type { Context } from '@/server/context';
import { refuse } from '@/server/errors';
import {
  bracket as bracketOutput,
  listMatchesInput,
  listMatchesOutput,
  matchDetail,
  matchIdInput,
  standings as standingsOutput,
  tournamentIdInput,
} from '@/server/routers/matches/schema';
import { findVisible, noSuchTournament } from '@/server/routers/tournaments/data';
import { publicProcedure } from '@/server/trpc';
import { type Drawn, findDrawn } from './data-drawn';
import { listMatches } from './data-lists';
import { findMatchForView } from './data-match';
import { type WatchedView, watchedView } from './data-watched';

/**
 * The draw of a tournament, for those who may see it.
 * @throws NOT_FOUND, BRACKET_NOT_AVAILABLE
 */
async function requireDrawn(idOrSlug: string, user: AuthUser | null): Promise<Drawn> {
  const found = await findDrawn(idOrSlug, user?.id ?? null);
  if (!found) throw noSuchTournament();
  // Players who are registered in a private tournament may see it too; few enough for a statement of its own.
  if (!found.role && !isVisibleOutside(found)) await findVisible(found.tournamentId, user);
  if (!found.drawn) throw refuse('BRACKET_NOT_AVAILABLE');
  return found.drawn;
}

/**
 * What a page of nobody in particular reads again after a notice, if pages watch the tournament: a thousand of them get one
 * answer. REST always reads, because a client that has just changed something must see it.
 */
async function shared(ctx: Pick<Context, 'transport' | 'user'>, idOrSlug: string): Promise<WatchedView | null> {
  return ctx.transport === 'trpc' && (await ctx.user()) === null ? watchedView(idOrSlug) : null;
}

export const bracket = publicProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/tournaments/{tournamentId}/bracket',
      tags: ['Brackets'],
      summary: 'Read the bracket',
      description: 'All stages, round by round, with the tables of group and Swiss stages.',
    },
    errors: ['NOT_FOUND', 'BRACKET_NOT_AVAILABLE'],
    wholeDraw: true,
  })
  .input(tournamentIdInput)
  .output(bracketOutput)
  .query(async ({ ctx, input }) => {
    const view = await shared(ctx, input.tournamentId);
    return view?.bracket ?? (await requireDrawn(input.tournamentId, await ctx.user())).bracket();
  });

export const standings = publicProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/tournaments/{tournamentId}/standings',
      tags: ['Brackets'],
      summary: 'Read the standings',
      description: 'The final places known so far, and the tables with their tie-breaks.',
    },
    errors: ['NOT_FOUND', 'BRACKET_NOT_AVAILABLE'],
    wholeDraw: true,
  })
  .input(tournamentIdInput)
  .output(standingsOutput)
  .query(async ({ ctx, input }) => {
    const view = await shared(ctx, input.tournamentId);
    return view?.standings ?? (await requireDrawn(input.tournamentId, await ctx.user())).standings();
  });

export const list = publicProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/tournaments/{tournamentId}/matches',
      tags: ['Matches'],
      summary: 'List matches',
      description: 'In the order of their numbers; none before the start.',
    },
    errors: ['NOT_FOUND'],
  })
  .input(listMatchesInput)
  .output(listMatchesOutput)
  .query(async ({ ctx, input }) => {
    const { tournamentId, ...filter } = input;
    const { id } = await findVisible(tournamentId, await ctx.user());
    return listMatches(ctx.db, id, filter);
  });

export const get = publicProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/matches/{matchId}',
      tags: ['Matches'],
      summary: 'Read a match',
      description: 'With a bearer also which side the caller plays on.',
    },
    errors: ['NOT_FOUND'],
  })
  .input(matchIdInput)
  .output(matchDetail)
  .query(async ({ ctx, input }) => {
    const user = await ctx.user();
    const found = await findMatchForView(ctx.db, input.matchId, user?.id ?? null);
    const { role, ...detail } = found;
    const { participantId } = found.me;
    return { ...detail, me: { participantId, canModerate: can(role, 'matches:moderate') } };
  });
