import { z } from 'zod';
import { noSuchTeam, onlyCaptain } from '@/server/routers/teams/data';
import { userProcedure } from '@/server/trpc';

/**
 * Admits the captain of `input.teamId`. For reads: a change locks the team and checks the caller in its transaction, with
 * `lockAsCaptain`.
 */
export const captainProcedure = userProcedure
  .meta({ gate: ['NOT_FOUND', 'FORBIDDEN'] })
  .input(z.object({ teamId: z.string() }))
  .use(async ({ ctx, input, next }) => {
    const team = await ctx.db.team.findUnique({
      where: { id: input.teamId },
      select: { members: { where: { userId: ctx.actingUser.id }, select: { role: true } } },
    });
    if (!team) throw noSuchTeam();
    if (team.members[0]?.role !== 'captain') throw onlyCaptain();
    return next();
  });
