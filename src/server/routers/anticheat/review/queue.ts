import { readerOf } from '@/server/context';
import { toPage } from '@/server/paging';
import { projectProcedure } from '@/server/routers/projects/gate';
import { readQueue } from './data-queue';
import { queueInput, queuePage } from './schema';

/** The detections of a project, newest first, with their players, matches and reviews. */
export const queue = projectProcedure('anticheat:read')
  .input(queueInput)
  .output(queuePage)
  .query(async ({ ctx, input }) => {
    const asked = { ...input, projectId: ctx.scope.projectId };
    const { items, total } = await readQueue(await readerOf(ctx), ctx.actingUser.id, asked);
    return toPage(items, total, input);
  });
