import type { z } from 'zod';
import { Prisma } from '@/generated/prisma/client';
import { readerOf } from '@/server/context';
import { pageArgs, toPage } from '@/server/paging';
import { type Asker, report } from '@/server/report';
import { teamTournamentsInput, teamTournamentsOutput } from '@/server/routers/participants/schema';
import { noSuchTeam } from '@/server/routers/teams/data';
import { publiclyListed } from '@/server/routers/tournaments/data';
import { publicProcedure } from '@/server/trpc';

const select = {
  id: true,
  name: true,
  seed: true,
  status: true,
  tournament: {
    select: { id: true, slug: true, name: true, status: true, startDate: true, timezone: true, game: true },
  },
} as const satisfies Prisma.ParticipantSelect;

type Page = { ids: string[]; total: number };

/** The ids of one page of a team's participants in public tournaments, and how many there are on all pages. */
async function findPage(asker: Asker, input: z.output<typeof teamTournamentsInput>): Promise<Page> {
  const { skip, take } = pageArgs(input);
  const [page] = await report<Page>(
    asker,
    Prisma.sql`
      WITH "found" AS MATERIALIZED (
        SELECT p."id", t."startDate" FROM "participant" p JOIN "tournament" t ON t."id" = p."tournamentId"
        WHERE p."teamId" = ${input.teamId} AND p."registrationStatus" = 'approved' AND ${publiclyListed}
      )
      SELECT ARRAY(SELECT "id" FROM "found" ORDER BY "startDate" DESC, "id" DESC LIMIT ${take} OFFSET ${skip}) AS "ids",
        (SELECT count(*)::int FROM "found") AS "total"`,
  );
  return page ?? { ids: [], total: 0 };
}

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
    const asker = await readerOf(ctx);
    const [team, { ids, total }] = await Promise.all([
      ctx.db.team.findUnique({ where: { id: input.teamId }, select: { id: true } }),
      findPage(asker, input),
    ]);
    if (!team) throw noSuchTeam();
    const rows = await ctx.db.participant.findMany({ where: { id: { in: ids } }, select });
    const byId = new Map(rows.map((row) => [row.id, row]));
    const found = ids.flatMap((id) => byId.get(id) ?? []);
    const items = found.map(({ id, name, seed, status, tournament }) => {
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
