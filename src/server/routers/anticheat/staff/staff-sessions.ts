import { plans } from '@/domain/projects/plans';
import { readerOf } from '@/server/context';
import type { Tx } from '@/server/db';
import { refuse } from '@/server/errors';
import { audit } from '@/server/events/emit';
import { pageArgs, toPage } from '@/server/paging';
import { endSession, startSession } from '@/server/routers/anticheat/data-sessions';
import { endedSession, startedSession } from '@/server/routers/anticheat/schema';
import { lockProject } from '@/server/routers/projects/data';
import { projectProcedure } from '@/server/routers/projects/gate';
import { router } from '@/server/trpc';
import { listSessionPlayers, listSessions } from './data';
import {
  endByStaffInput,
  listSessionsInput,
  sessionInput,
  sessionItem,
  sessionPage,
  sessionPlayerPage,
  sessionPlayersInput,
  startForMatchInput,
} from './schema';

const tags = ['Anti-cheat'];
const path = '/projects/{projectId}/anti-cheat/sessions';
const noSuchSession = () => refuse('NOT_FOUND', { message: 'There is no such anti-cheat session.' });

const list = projectProcedure('anticheat:read')
  .meta({
    openapi: {
      method: 'GET',
      path,
      tags,
      summary: 'List sessions',
      description: 'Running and past sessions of a project, newest first.',
    },
  })
  .input(listSessionsInput)
  .output(sessionPage)
  .query(async ({ ctx, input }) => {
    const { matchId, isRunning } = input;
    const found = await listSessions(await readerOf(ctx), ctx.scope.projectId, {
      matchId,
      isRunning,
      ...pageArgs(input),
    });
    return toPage(found.items, found.total, input);
  });

const get = projectProcedure('anticheat:read')
  .meta({
    openapi: {
      method: 'GET',
      path: `${path}/{sessionId}`,
      tags,
      summary: 'Read a session',
      description: 'How many players it covers, how many of their clients run now, and what was raised.',
    },
    errors: ['NOT_FOUND'],
  })
  .input(sessionInput)
  .output(sessionItem)
  .query(async ({ ctx, input }) => {
    const one = { sessionId: input.sessionId, skip: 0, take: 1 };
    const [session] = (await listSessions(await readerOf(ctx), ctx.scope.projectId, one)).items;
    if (!session) throw noSuchSession();
    return session;
  });

const players = projectProcedure('anticheat:read')
  .meta({
    openapi: {
      method: 'GET',
      path: `${path}/{sessionId}/players`,
      tags,
      summary: 'List the players of a session',
      description: 'By name, each with the clients that the session covers and how they are now.',
    },
    errors: ['NOT_FOUND'],
  })
  .input(sessionPlayersInput)
  .output(sessionPlayerPage)
  .query(async ({ ctx, input }) => {
    const where = { id: input.sessionId, projectId: ctx.scope.projectId };
    if (!(await ctx.db.antiCheatSession.findFirst({ where, select: { id: true } }))) throw noSuchSession();
    const found = await listSessionPlayers(ctx.db, await readerOf(ctx), input.sessionId, pageArgs(input));
    return toPage(found.items, found.total, input);
  });

/** @throws PLAN_LACKS_CAPABILITY */
async function requirePlan(tx: Tx, projectId: string): Promise<void> {
  const { plan } = await tx.project.findUniqueOrThrow({ where: { id: projectId }, select: { plan: true } });
  if (!plans[plan].capabilities.includes('antiCheat')) throw refuse('PLAN_LACKS_CAPABILITY');
}

const start = projectProcedure('matches:moderate')
  .meta({
    openapi: {
      method: 'POST',
      path,
      tags,
      summary: 'Start a session for a match',
      description: 'As a game server does with its key: it covers the clients of the players of the match.',
    },
    status: 201,
    errors: ['PLAN_LACKS_CAPABILITY', 'NOT_FOUND', 'CONFLICT'],
    quotas: ['antiCheatSessions', 'antiCheatSessionsPerDay'],
  })
  .input(startForMatchInput)
  .output(startedSession)
  .mutation(({ ctx, input }) => {
    const { projectId } = ctx.scope;
    const { game, matchId } = input;
    return ctx.db.$transaction(async (tx) => {
      await lockProject(tx, projectId, ctx.actingUser.id, 'matches:moderate');
      await requirePlan(tx, projectId);
      const [match] = await tx.$queryRaw<{ number: number }[]>`
        SELECT m."number" FROM "match" m JOIN "tournament" t ON t."id" = m."tournamentId"
        WHERE m."id" = ${matchId} AND t."projectId" = ${projectId}`;
      if (!match) throw refuse('NOT_FOUND', { message: 'There is no such match.' });
      if (await tx.antiCheatSession.findFirst({ where: { projectId, matchId, endedAt: null }, select: { id: true } })) {
        throw refuse('CONFLICT', { message: 'A session of this match is running.' });
      }
      const started = await startSession(tx, { projectId, game, matchId, userIds: undefined });
      await audit(tx, ctx.by, {
        projectId,
        action: 'anti_cheat_session.start',
        targetType: 'anti_cheat_session',
        targetId: started.sessionId,
        details: { number: match.number },
      });
      return started;
    });
  });

const end = projectProcedure('matches:moderate')
  .meta({
    openapi: {
      method: 'POST',
      path: `${path}/{sessionId}/end`,
      tags,
      summary: 'End a session as staff',
      description: 'Ending it again changes nothing and succeeds.',
    },
    errors: ['NOT_FOUND'],
  })
  .input(endByStaffInput)
  .output(endedSession)
  .mutation(async ({ ctx, input }) => {
    const { sessionId, reason } = input;
    const { projectId } = ctx.scope;
    return ctx.db.$transaction(async (tx) => {
      // Two ends at once must not both be the one that ended it.
      const [before] = await tx.$queryRaw<{ endedAt: Date | null }[]>`
        SELECT "endedAt" FROM "anti_cheat_session" WHERE "id" = ${sessionId} AND "projectId" = ${projectId} FOR UPDATE`;
      if (!before) throw noSuchSession();
      const { ended, endedAt } = await endSession(tx, ctx.by, { projectId, sessionId, reason: reason || null });
      if (!before.endedAt) {
        const target = { targetType: 'anti_cheat_session', targetId: sessionId } as const;
        await audit(tx, ctx.by, { projectId, action: 'anti_cheat_session.end', ...target, details: { reason } });
      }
      return { sessionId, ended, endedAt: endedAt?.toISOString() ?? null };
    });
  });

/** Sessions as staff see and run them; game servers use their key. */
export const staffSessionsRouter = router({ list, get, players, start, end });
