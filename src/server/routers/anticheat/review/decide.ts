import { projectProcedure } from '@/server/routers/projects/gate';
import { recordReview } from './data-review';
import { reviewInput, reviewOutput } from './schema';

/** Records what staff decided about a detection, as often as they like, if nobody else did since they saw it. */
export const decide = projectProcedure('anticheat:review')
  .meta({ errors: ['NOT_FOUND', 'ALREADY_REVIEWED'] })
  .input(reviewInput)
  .output(reviewOutput)
  .mutation(({ ctx, input }) =>
    ctx.db.$transaction((tx) => recordReview(tx, ctx.by, { ...input, projectId: ctx.scope.projectId })),
  );
