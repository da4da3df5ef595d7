import { toBracket, toStandings } from '@/server/routers/matches/data-views';
import { bracket, ruleTieInput, rulingInput, seedStageInput, standings } from '@/server/routers/matches/schema';
import { tournamentProcedure } from '@/server/routers/tournaments/gate';
import { ruleTie as decideTie, seedStage as seedByHand } from './data-stages';

const tags = ['Brackets'];

export const seedStage = tournamentProcedure('tournaments:write')
  .meta({
    openapi: {
      method: 'PUT',
      path: '/tournaments/{tournamentId}/stages/{stageId}/seeding',
      tags,
      summary: 'Seed a knockout stage',
      description:
        'For a knockout after groups or Swiss, once everyone in it is known and before anyone plays in it. The first in the order is seed 1.',
    },
    errors: ['INVALID_STATE', 'BRACKET_NOT_AVAILABLE'],
    quotas: ['bulkEvents'],
    wholeDraw: true,
  })
  .input(seedStageInput)
  .output(bracket)
  .mutation(({ ctx, input }) =>
    ctx.db.$transaction(async (tx) => toBracket(await seedByHand(tx, ctx.by, ctx.tournamentId, input))),
  );

const rulingErrors = ['INVALID_STATE', 'BRACKET_NOT_AVAILABLE'] as const;

export const ruleTie = tournamentProcedure('matches:moderate')
  .meta({
    openapi: {
      method: 'PUT',
      path: '/tournaments/{tournamentId}/stages/{stageId}/groups/{group}/ruling',
      tags,
      summary: 'Decide a tie',
      description:
        'Orders participants of a group who are tied on every tie-break before seed and random; `ties` in the standings names them. Replaces an earlier ruling of the group. Everyone can read the reason. Refused once the next stage has begun.',
    },
    errors: rulingErrors,
    quotas: ['bulkEvents'],
    wholeDraw: true,
  })
  .input(ruleTieInput)
  .output(standings)
  .mutation(({ ctx, input }) => {
    const { stageId, group, order, reason } = input;
    return ctx.db.$transaction(async (tx) =>
      toStandings(await decideTie(tx, ctx.by, ctx.tournamentId, { stageId, group, ruling: { order, reason } })),
    );
  });

export const withdrawRuling = tournamentProcedure('matches:moderate')
  .meta({
    openapi: {
      method: 'DELETE',
      path: '/tournaments/{tournamentId}/stages/{stageId}/groups/{group}/ruling',
      tags,
      summary: 'Take back a decided tie',
      description: 'The participants are ordered by seed or random again. Does nothing where there is no ruling.',
    },
    errors: rulingErrors,
    quotas: ['bulkEvents'],
    wholeDraw: true,
  })
  .input(rulingInput)
  .output(standings)
  .mutation(({ ctx, input: { stageId, group } }) =>
    ctx.db.$transaction(async (tx) =>
      toStandings(await decideTie(tx, ctx.by, ctx.tournamentId, { stageId, group, ruling: null })),
    ),
  );
