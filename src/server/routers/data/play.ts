import { refuse } from '@/server/errors';
import { paging } from '@/server/paging';
import { listFeed } from '@/server/routers/matches/feed/data-list';
import { findDrawn } from '@/server/routers/matches/reading/data-drawn';
import { listMatches } from '@/server/routers/matches/reading/data-lists';
import { apiKeyProcedure } from '@/server/trpc';
import { findTournament, noSuchTournament } from './data';
import { findMatch, findPlayerStats, findTeam, requireMatch } from './data-play';
import { succeed } from './schema-envelope';
import {
  listDataEventsInput,
  listDataEventsOutput,
  listDataMatchesInput,
  listDataMatchesOutput,
  readDataBracketInput,
  readDataBracketOutput,
  readDataMatchInput,
  readDataMatchOutput,
  readDataPlayerStatsInput,
  readDataPlayerStatsOutput,
  readDataTeamInput,
  readDataTeamOutput,
} from './schema-play';

const tags = ['Data API'];
const matchesProcedure = apiKeyProcedure('read:matches');

export const readBracket = apiKeyProcedure('read:tournaments')
  .meta({
    openapi: {
      method: 'GET',
      path: '/data/tournaments/{id}/bracket',
      tags,
      summary: 'Read the bracket of a tournament',
      description: 'All stages, round by round, with the tables of group and Swiss stages, once it has started.',
    },
    errors: ['NOT_FOUND', 'BRACKET_NOT_AVAILABLE'],
    wholeDraw: true,
  })
  .input(readDataBracketInput)
  .output(readDataBracketOutput)
  .query(async ({ ctx, input }) => {
    const found = await findDrawn(input.id, null, ctx.key.projectId);
    if (!found || found.status === 'DRAFT') throw noSuchTournament();
    if (!found.drawn) throw refuse('BRACKET_NOT_AVAILABLE');
    return succeed(found.drawn.bracket(), 'Bracket retrieved');
  });

export const listTournamentMatches = matchesProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/data/tournaments/{id}/matches',
      tags,
      summary: 'List the matches of a tournament',
      description: 'In the order of their numbers; none before the start.',
    },
    errors: ['NOT_FOUND'],
  })
  .input(listDataMatchesInput)
  .output(listDataMatchesOutput)
  .query(async ({ ctx, input }) => {
    const { id: key, gameId, ...filter } = input;
    const { id, game } = await findTournament(ctx.key.projectId, key, false);
    const isOther = gameId !== undefined && gameId !== game;
    const { items, ...fields } = isOther ? { items: [], ...paging(0, input) } : await listMatches(ctx.db, id, filter);
    return succeed({ matches: items, ...fields }, 'Matches retrieved');
  });

export const readMatch = matchesProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/data/matches/{id}',
      tags,
      summary: 'Read a match',
      description: "One match of the project's tournaments.",
    },
    errors: ['NOT_FOUND'],
  })
  .input(readDataMatchInput)
  .output(readDataMatchOutput)
  .query(async ({ ctx, input }) => succeed(await findMatch(ctx.db, ctx.key.projectId, input.id), 'Match retrieved'));

export const listMatchEvents = matchesProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/data/matches/{id}/events',
      tags,
      summary: 'List the events of a match',
      description: 'The feed of the match in the order of `sequence`, the same types for every game. A plain array.',
    },
    errors: ['NOT_FOUND'],
  })
  .input(listDataEventsInput)
  .output(listDataEventsOutput)
  .query(async ({ ctx, input }) => {
    const { id, ...filter } = input;
    await requireMatch(ctx.db, ctx.key.projectId, id);
    return succeed(await listFeed(ctx.key.steps, id, filter), 'Match events retrieved');
  });

export const readPlayerStats = apiKeyProcedure('read:player_stats')
  .meta({
    openapi: {
      method: 'GET',
      path: '/data/players/{id}/stats',
      tags,
      summary: "Read a player's statistics",
      description: "In one game, over the project's tournaments; zeros for a participant who has not played it.",
    },
    errors: ['NOT_FOUND'],
  })
  .input(readDataPlayerStatsInput)
  .output(readDataPlayerStatsOutput)
  .query(async ({ ctx, input }) => {
    const stats = await findPlayerStats(ctx.db, ctx.key.projectId, input.id, input.gameId);
    return succeed(stats, 'Player statistics retrieved');
  });

export const readTeam = apiKeyProcedure('read:teams')
  .meta({
    openapi: {
      method: 'GET',
      path: '/data/teams/{id}',
      tags,
      summary: 'Read a team',
      description: "A team that has registered for one of the project's tournaments, with its members.",
    },
    errors: ['NOT_FOUND'],
  })
  .input(readDataTeamInput)
  .output(readDataTeamOutput)
  .query(async ({ ctx, input }) => succeed(await findTeam(ctx.db, ctx.key.projectId, input.id), 'Team retrieved'));
