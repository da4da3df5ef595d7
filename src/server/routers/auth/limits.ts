import { limitsInUse, presentLimits } from '@/server/limits/limits-in-use';
import { usedOfRates } from '@/server/limits/used-rates';
import { countTeams } from '@/server/routers/teams/data';
import { userProcedure } from '@/server/trpc';

export const limits = userProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/me/limits',
      tags: ['Me'],
      summary: 'Read the limits of your account',
      description:
        'What is limited for your account over all projects, and how much of it is used. `windowSeconds` is null for a number, such as projects, and the length of the sliding window for a rate. Open live streams are limited too, but not listed.',
    },
  })
  .output(limitsInUse)
  .query(async ({ ctx }) => {
    const { id } = ctx.actingUser;
    const [projects, teams, antiCheatClients, rates] = await Promise.all([
      ctx.db.project.count({ where: { createdById: id } }),
      countTeams(ctx.db, id),
      ctx.db.antiCheatClient.count({ where: { userId: id, revokedAt: null } }),
      usedOfRates(ctx.db, 'account', id),
    ]);
    return presentLimits({ projects, teams, antiCheatClients, ...rates });
  });
