import { can } from '@/domain/projects/permissions';
import type { ProjectRole } from '@/generated/prisma/enums';
import { refuse } from '@/server/errors';
import { playsFor } from '@/server/routers/participants/data-own';
import { isVisibleTo } from '@/server/routers/tournaments/data';
import { memberProcedure, openScope } from '@/server/trpc';
import { matchIdInput } from './schema';

type Found = {
  id: string;
  tournamentId: string;
  projectId: string;
  role: ProjectRole | null;
  mine: string[];
  visible: boolean;
};

const permission = 'matches:moderate';

/**
 * Admits the players of the match `input.matchId` and the moderators of its project: `ctx.match`, with the ids of the
 * participants that the caller plays for, and `ctx.canModerate`. Others get 404 for a match they cannot see and 403 for
 * one they can.
 */
export const matchProcedure = memberProcedure
  .meta({ gate: ['NOT_FOUND', 'FORBIDDEN', 'NOT_IN_MATCH'] })
  .input(matchIdInput)
  .use(async ({ ctx, input, next }) => {
    const userId = ctx.actingUser.id;
    const [found] = await ctx.db.$queryRaw<Found[]>`
      SELECT m."id", m."tournamentId", t."projectId", r."role",
        ARRAY(
          SELECT p."id" FROM "participant" p
          WHERE p."id" IN (m."participantAId", m."participantBId") AND ${playsFor(userId)}
        ) AS mine,
        ${isVisibleTo(userId)} AS visible
      FROM "match" m JOIN "tournament" t ON t."id" = m."tournamentId"
      LEFT JOIN "member" r ON r."projectId" = t."projectId" AND r."userId" = ${userId}
      WHERE m."id" = ${input.matchId}`;
    if (!found?.visible) {
      throw refuse('NOT_FOUND', { message: 'There is no such match.' });
    }
    const canModerate = can(found.role, permission);
    const { id, tournamentId, projectId, role, mine } = found;
    if (!canModerate && mine.length === 0) throw refuse('NOT_IN_MATCH');
    const match = { id, tournamentId, projectId, role, mine };
    // A moderator who plays in the match is a player in it.
    const by = role && mine.length === 0 ? openScope(ctx, { projectId, role, permission }).by : ctx.by;
    return next({ ctx: { match, canModerate, by } });
  });

/** As `matchProcedure`, for moderators only. */
export const moderatedMatchProcedure = matchProcedure.use(({ ctx, next }) => {
  const { projectId, role } = ctx.match;
  if (!role || !ctx.canModerate) throw refuse('FORBIDDEN');
  return next({ ctx: { by: openScope(ctx, { projectId, role, permission }).by } });
});
