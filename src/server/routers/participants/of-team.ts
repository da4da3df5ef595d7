import { pageArgs, toPage } from '@/server/envelope';
import { publicProcedure } from '@/server/trpc';
import { teamEntriesInput, teamEntriesOutput } from './schema';

/** What a team has entered, as far as everyone may know: approved entrants of public tournaments. */
export const ofTeam = publicProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/teams/{teamId}/tournaments',
      tags: ['Teams'],
      summary: 'List the tournaments of a team',
      description: 'Public tournaments in which it is or was an approved entrant, the latest start first.',
    },
  })
  .input(teamEntriesInput)
  .output(teamEntriesOutput)
  .query(async ({ ctx, input }) => {
    const where = {
      teamId: input.teamId,
      registrationStatus: 'approved' as const,
      tournament: { visibility: 'public' as const, publishedAt: { not: null } },
    };
    const [rows, total] = await Promise.all([
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
