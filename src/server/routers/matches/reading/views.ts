import { can } from '@/domain/projects/permissions';
import { refuse } from '@/server/errors';
import { type Play, readPlay } from '@/server/routers/matches/data-bracket';
import { toBracket, toStandings } from '@/server/routers/matches/data-views';
import {
  bracket as bracketOutput,
  listMatchesInput,
  listMatchesOutput,
  matchDetail,
  matchIdInput,
  standings as standingsOutput,
  tournamentIdInput,
} from '@/server/routers/matches/schema';
import { findVisible } from '@/server/routers/tournaments/data';
import { publicProcedure } from '@/server/trpc';
import { listMatches } from './data-lists';
import { findMatchForView } from './data-match';

const tags = ['Matches'];

function requirePlay(play: Play | null): Play {
  if (!play) throw refuse('BRACKET_NOT_AVAILABLE');
  return play;
}

export const bracket = publicProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/tournaments/{tournamentId}/bracket',
      tags,
      summary: 'Read the bracket',
      description: 'All stages, round by round, with the tables of group and Swiss stages.',
    },
    errors: ['NOT_FOUND', 'BRACKET_NOT_AVAILABLE'],
  })
  .input(tournamentIdInput)
  .output(bracketOutput)
  .query(async ({ ctx, input }) => {
    const { id } = await findVisible(input.tournamentId, await ctx.user());
    return toBracket(requirePlay(await readPlay(ctx.db, id)));
  });

export const standings = publicProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/tournaments/{tournamentId}/standings',
      tags,
      summary: 'Read the standings',
      description: 'The final places known so far, and the tables with their tie-breaks.',
    },
    errors: ['NOT_FOUND', 'BRACKET_NOT_AVAILABLE'],
  })
  .input(tournamentIdInput)
  .output(standingsOutput)
  .query(async ({ ctx, input }) => {
    const { id } = await findVisible(input.tournamentId, await ctx.user());
    return toStandings(requirePlay(await readPlay(ctx.db, id)));
  });

export const list = publicProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/tournaments/{tournamentId}/matches',
      tags,
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
      tags,
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
