import { can } from '@/domain/projects/permissions';
import type { ProjectRole } from '@/generated/prisma/enums';
import { db } from '@/server/db';
import { refuse } from '@/server/errors';
import { liveEvents, writeInTurn } from '@/server/events/live-events';
import { Batcher } from '@/server/jobs/embedded/batcher';
import { projectProcedure } from '@/server/routers/projects/gate';

type Viewer = { projectId: string; userId: string; detectionId: string | null };
type Standing = { role: ProjectRole | null; isOwn: boolean };

/**
 * Reads the roles of viewers, null where they have none, and whether a detection is of themselves. All streams ask at each notice, and share a statement of few words: one with a
 * condition for each of thousands takes seconds to plan.
 */
const standings = new Batcher(500, async (viewers: Viewer[]): Promise<Standing[]> => {
  const json = JSON.stringify(viewers.map((viewer, place) => ({ place, ...viewer })));
  const rows = await db.$queryRaw<(Standing & { place: number })[]>`
    SELECT v."place", m."role", d."id" IS NOT NULL AS "isOwn"
    FROM json_to_recordset(${json}::json) AS v("place" int, "projectId" text, "userId" text, "detectionId" text)
    JOIN "member" m ON m."projectId" = v."projectId" AND m."userId" = v."userId"
    LEFT JOIN "detection" d ON d."id" = v."detectionId" AND d."userId" = v."userId"`;
  const byPlace = new Map(rows.map(({ place, role, isOwn }) => [place, { role, isOwn }]));
  return viewers.map((_, place) => byPlace.get(place) ?? { role: null, isOwn: false });
});

/**
 * Notifies staff that a detection of the project was raised or reviewed, and never of one of their own; the client then reads again. The first notice, and
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
    const { role, isOwn } = await standings.add({ projectId, userId, detectionId: aggregateId || null });
    if (!can(role, 'anticheat:read')) throw refuse('FORBIDDEN');
    if (isOwn) continue;
    await writeInTurn(notice, ctx.ip);
    yield { type, detectionId: aggregateId || null };
  }
});
