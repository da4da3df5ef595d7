import { publiclyListed } from '@/domain/tournaments/visibility';
import { pageArgs, toPage } from '@/server/paging';
import { teamTournamentsInput, teamTournamentsOutput } from '@/server/routers/participants/schema';
import { noSuchTeam } from '@/server/routers/teams/data';
import { publicProcedure } from '@/server/trpc';

/** The public tournaments of a team. */
export const ofTeam = publicProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/teams/{teamId}/tournaments',
      tags: ['Teams'],
      summary: 'List the tournaments of a team',
      description: 'Public tournaments in which the team is or was an approved participant, latest start first.',
    },
    errors: ['NOT_FOUND'],
  })
  .input(teamTournamentsInput)
  .output(teamTournamentsOutput)
  .query(async ({ ctx, input }) => {
    const where = {
      teamId: input.teamId,
      registrationStatus: 'approved' as const,
      tournament: publiclyListed,
    };
    const [team, rows, total] = await Promise.all([
      ctx.db.team.findUnique({ where: { id: input.teamId }, select: { id: true } }),
      ctx.db.participant.findMany({
        where,
        orderBy: [{ tournament: { startDate: 'desc' } }, { id: 'desc' }],
        select: {
          id: true,
          name: true,
          seed: true,
          status: true,
          tournament: {
            select: { id: true, slug: true, name: true, status: true, startDate: true, timezone: true, game: true },
          },
        },
        ...pageArgs(input),
      }),
      ctx.db.participant.count({ where }),
    ]);
    if (!team) throw noSuchTeam();
    const items = rows.map(({ id, name, seed, status, tournament }) => {
      const { game, startDate, ...rest } = tournament;
      return {
        participantId: id,
        name,
        seed,
        status,
        tournament: { ...rest, game: game.id, gameName: game.name, startDate: startDate.toISOString() },
      };
    });
    return toPage(items, total, input);
  });
