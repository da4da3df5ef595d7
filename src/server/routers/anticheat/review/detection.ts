import { projectProcedure } from '@/server/routers/projects/gate';
import { readDetection } from './data-detection';
import { drawWindow } from './data-window';
import { detectionDetail, detectionInput, reportChart } from './schema';

/** One detection with its session and client. */
export const detection = projectProcedure('anticheat:read')
  .input(detectionInput)
  .output(detectionDetail)
  .query(({ ctx, input }) =>
    readDetection(ctx.db, { ...input, projectId: ctx.scope.projectId, readerId: ctx.actingUser.id }),
  );

/** The reports of a detection's window as a chart; null where none are left. */
export const reports = projectProcedure('anticheat:read')
  .input(detectionInput)
  .output(reportChart.nullable())
  .query(({ ctx, input }) =>
    drawWindow(ctx.db, { ...input, projectId: ctx.scope.projectId, readerId: ctx.actingUser.id }),
  );
