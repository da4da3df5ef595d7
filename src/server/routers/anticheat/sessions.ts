import { apiKeyProcedure } from '@/server/trpc';
import { endSession, startSession } from './data-sessions';
import { endedSession, endSessionInput, startedSession, startSessionInput } from './schema';

const tags = ['Anti-cheat'];
const sessionsProcedure = apiKeyProcedure('anticheat:session.write');

export const start = sessionsProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/anti-cheat/sessions',
      tags,
      summary: 'Start a session',
      description:
        'Monitors the players of a match until it ends, at most a day. Only players with an enrolled client in the project that is not revoked are wired in, so a session may cover fewer than you name. Without `participants`, the players are the roster of the match, also those who have not accepted being on it; their silence raises no detection until they do.',
    },
    status: 201,
    quotas: ['antiCheatSessions', 'antiCheatSessionsPerDay'],
  })
  .input(startSessionInput)
  .output(startedSession)
  .mutation(({ ctx, input }) => {
    const { game, matchId, participants } = input;
    const userIds = participants?.map(({ userId }) => userId);
    const { projectId } = ctx.key;
    return ctx.db.$transaction((tx) => startSession(tx, { projectId, game, matchId, userIds }));
  });

export const end = sessionsProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/anti-cheat/sessions/{sessionId}/end',
      tags,
      summary: 'End a session',
      description: 'Ending it again, or an id that the project does not have, changes nothing and succeeds.',
    },
  })
  .input(endSessionInput)
  .output(endedSession)
  .mutation(async ({ ctx, input }) => {
    const { sessionId, reason } = input;
    const { projectId } = ctx.key;
    const { ended, endedAt } = await ctx.db.$transaction((tx) =>
      endSession(tx, ctx.by, { projectId, sessionId, reason: reason || null }),
    );
    return { sessionId, ended, endedAt: endedAt?.toISOString() ?? null };
  });
