import { can } from '@/domain/projects/permissions';
import type { ProjectRole } from '@/generated/prisma/enums';
import { db } from '@/server/db';
import { refuse } from '@/server/errors';
import { liveEvents, writeInTurn } from '@/server/events/live-events';
import { Batcher } from '@/server/jobs/embedded/batcher';
import { projectProcedure } from '@/server/routers/projects/gate';

type Viewer = { projectId: string; userId: string };

/**
 * Reads the roles of viewers, null where they have none. All streams ask at each notice, and share a statement of few words: one with a
 * condition for each of thousands takes seconds to plan.
 */
const roles = new Batcher(500, async (viewers: Viewer[]) => {
  const json = JSON.stringify(viewers.map((viewer, place) => ({ place, ...viewer })));
  const rows = await db.$queryRaw<{ place: number; role: ProjectRole }[]>`
    SELECT v."place", m."role" FROM json_to_recordset(${json}::json) AS v("place" int, "projectId" text, "userId" text)
    JOIN "member" m ON m."projectId" = v."projectId" AND m."userId" = v."userId"`;
  const byPlace = new Map(rows.map(({ place, role }) => [place, role]));
  return viewers.map((_, place) => byPlace.get(place) ?? null);
});

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
    const { id: userId } = await ctx.requireUser();
    if (!can(await roles.add({ projectId, userId }), 'anticheat:read')) throw refuse('FORBIDDEN');
    await writeInTurn(notice, ctx.ip);
    yield { type, detectionId: aggregateId || null };
  }
});
