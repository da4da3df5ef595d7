import { patternIssues } from '@/domain/questions/patterns';
import { customFieldDefinition } from '@/domain/tournaments/settings';
import { refuse } from '@/server/errors';
import { takeNow } from '@/server/limits/take-now';
import { questionWarnings } from '@/server/routers/participants/data-answers';
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
    const issues = patternIssues(input.customFields);
    if (issues.length > 0) throw refuse('VALIDATION_FAILED', { issues });
    const row = await ctx.db.tournament.findUniqueOrThrow({
      where: { id: ctx.tournamentId },
      select: { customFields: true, publishedAt: true },
    });
    if (!row.publishedAt) return { warnings: [] };
    const before = customFieldDefinition.array().parse(row.customFields);
    return { warnings: await questionWarnings(ctx.db, ctx.tournamentId, before, input.customFields) };
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
