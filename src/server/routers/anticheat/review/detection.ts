import { projectProcedure } from '@/server/routers/projects/gate';
import { readDetection } from './data-detection';
import { detectionDetail, detectionInput } from './schema';

/** One detection with its session and client. */
export const detection = projectProcedure('anticheat:read')
  .input(detectionInput)
  .output(detectionDetail)
  .query(({ ctx, input }) => readDetection(ctx.db, ctx.scope.projectId, input.detectionId));
