import { pageArgs, paging } from '@/server/paging';
import { apiKeyProcedure, router } from '@/server/trpc';
import { listTournaments, readTournament } from './data';
import { listMatchEvents, listTournamentMatches, readBracket, readMatch, readPlayerStats, readTeam } from './play';
import {
  listDataTournamentsInput,
  listDataTournamentsOutput,
  readDataTournamentInput,
  readDataTournamentOutput,
} from './schema';
import { succeed } from './schema-envelope';

const tags = ['Data API'];
const tournamentsProcedure = apiKeyProcedure('read:tournaments');

export const dataRouter = router({
  listTournaments: tournamentsProcedure
    .meta({
      openapi: {
        method: 'GET',
        path: '/data/tournaments',
        tags,
        summary: 'List tournaments',
        description: "The project's tournaments, latest start first.",
      },
    })
    .input(listDataTournamentsInput)
    .output(listDataTournamentsOutput)
    .query(async ({ ctx, input }) => {
      const { tournaments, total } = await listTournaments(ctx.key.projectId, input, pageArgs(input));
      return succeed({ tournaments, ...paging(total, input) }, 'Tournaments retrieved');
    }),

  readTournament: tournamentsProcedure
    .meta({
      openapi: {
        method: 'GET',
        path: '/data/tournaments/{id}',
        tags,
        summary: 'Read a tournament',
        description: 'One tournament of the project, by id or slug.',
      },
      errors: ['NOT_FOUND', 'OVERLOADED'],
      shared: true,
    })
    .input(readDataTournamentInput)
    .output(readDataTournamentOutput)
    .query(async ({ ctx, input }) => {
      const tournament = await readTournament(ctx, input.id, input.status === 'DRAFT');
      return succeed(tournament, 'Tournament retrieved');
    }),

  readBracket,
  listTournamentMatches,
  readMatch,
  listMatchEvents,
  readPlayerStats,
  readTeam,
});
