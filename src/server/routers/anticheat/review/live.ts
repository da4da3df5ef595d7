import { can } from '@/domain/projects/permissions';
import { refuse } from '@/server/errors';
import { liveEvents, writeInTurn } from '@/server/events/live-events';
import { roleIn } from '@/server/routers/projects/data';
import { projectProcedure } from '@/server/routers/projects/gate';

/**
 * Notifies staff that a detection of the project was raised or reviewed; the client then reads again. The first notice, and
 * the first after a gap, is `live.resumed`. Ends when the caller is signed out or may no longer read detections.
 */
export const live = projectProcedure('anticheat:read').subscription(async function* ({ ctx, signal }) {
  const { projectId } = ctx.scope;
  const { notices } = liveEvents([projectId], signal ?? new AbortController().signal);
  yield { type: 'live.resumed', detectionId: null };
  for await (const notice of notices) {
    const { type, aggregateType, aggregateId } = notice;
    const isGap = type === 'live.resumed';
    if (!isGap && aggregateType !== 'detection') continue;
    ctx.recheckUser();
    const { id } = await ctx.requireUser();
    if (!can(await roleIn(ctx.db, projectId, id), 'anticheat:read')) throw refuse('FORBIDDEN');
    await writeInTurn(notice, ctx.ip);
    yield { type, detectionId: aggregateId || null };
  }
});
