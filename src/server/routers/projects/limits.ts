import type { Tx } from '@/server/db';
import { limitsInUse, presentLimits } from '@/server/limits/limits-in-use';
import { usedOfRates } from '@/server/limits/used-rates';
import { openInvitations } from '@/server/routers/projects/data';
import { projectProcedure } from '@/server/routers/projects/gate';

/** What the project has now, of each number that is counted for it. */
async function countNumbers(tx: Tx, projectId: string) {
  const [webhooks, apiKeys, projectInvitations, games, antiCheatSessions] = await Promise.all([
    tx.webhookSubscription.count({ where: { projectId } }),
    tx.apiKey.count({ where: { projectId, revokedAt: null } }),
    tx.invitation.count({ where: openInvitations(projectId) }),
    tx.game.count({ where: { projectId } }),
    tx.antiCheatSession.count({ where: { projectId, endedAt: null } }),
  ]);
  return { webhooks, apiKeys, projectInvitations, games, antiCheatSessions };
}

export const limits = projectProcedure('project:read')
  .meta({
    openapi: {
      method: 'GET',
      path: '/projects/{projectId}/limits',
      tags: ['Projects'],
      summary: 'Read the limits of a project',
      description:
        'What is limited for the project as a whole, and how much of it is used. `windowSeconds` is null for a number, such as webhooks, and the length of the sliding window for a rate.',
    },
  })
  .output(limitsInUse)
  .query(async ({ ctx }) => {
    const { projectId } = ctx.scope;
    const [{ plan }, numbers, rates] = await Promise.all([
      ctx.db.project.findUniqueOrThrow({ where: { id: projectId }, select: { plan: true } }),
      countNumbers(ctx.db, projectId),
      usedOfRates(ctx.db, 'project', projectId),
    ]);
    return presentLimits({ ...numbers, ...rates }, plan);
  });
