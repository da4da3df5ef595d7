import { expectedVersion } from '@/server/if-match';
import { projectProcedure } from '@/server/routers/projects/gate';
import { recordReview } from './data-review';
import { reviewInput, reviewOutput } from './schema';

/** Records what staff decided about a detection, as often as they like, if nobody else did since they saw it. */
export const decide = projectProcedure('anticheat:review')
  .meta({ errors: ['NOT_FOUND', 'ALREADY_REVIEWED', 'VERSION_MISMATCH'] })
  .input(reviewInput)
  .output(reviewOutput)
  .mutation(({ ctx, input }) => {
    const version = expectedVersion(ctx.ifMatch, input.version);
    return ctx.db.$transaction((tx) => recordReview(tx, ctx.by, { ...input, projectId: ctx.scope.projectId, version }));
  });
