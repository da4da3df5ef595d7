import { customFieldDefinition } from '@/domain/tournaments/settings';
import { takeNow } from '@/server/limits/take-now';
import { checkQuestions } from '@/server/routers/participants/data-answers';
import { tournamentProcedure } from '@/server/routers/tournaments/gate';
import {
  previewQuestionsInput,
  previewQuestionsOutput,
  questionVersions,
  tournamentIdInput,
} from '@/server/routers/tournaments/schema';
import { router } from '@/server/trpc';
import { earlierQuestions } from './data';

/** The effects that saving these questions would have on existing answers. Changes nothing. */
const preview = tournamentProcedure('tournaments:write')
  .input(previewQuestionsInput)
  .output(previewQuestionsOutput)
  .mutation(async ({ ctx, input }) => {
    const { warnings } = await checkQuestions(ctx.tournamentId, input.customFields);
    return { warnings };
  });

/** Every version of the questions, oldest first, to show answers with their labels. */
const versions = tournamentProcedure('participants:read')
  .meta({ quotas: ['heavyCalls'] })
  .input(tournamentIdInput)
  .output(questionVersions)
  .query(async ({ ctx }) => {
    await takeNow('heavyCalls', ctx.actingUser.id);
    const [row, earlier] = await Promise.all([
      ctx.db.tournament.findUniqueOrThrow({
        where: { id: ctx.tournamentId },
        select: { customFields: true, customFieldsVersion: true },
      }),
      earlierQuestions(ctx.db, ctx.tournamentId),
    ]);
    const definitions = customFieldDefinition.array().parse(row.customFields);
    return [...earlier, { version: row.customFieldsVersion, definitions }];
  });

export const questionsRouter = router({ preview, versions });
