import type { AntiCheatGame } from '@/domain/anticheat/games';
import { refuse } from '@/server/errors';
import { pageArgs, toPage } from '@/server/paging';
import { projectProcedure } from '@/server/routers/projects/gate';
import { router } from '@/server/trpc';
import {
  createReplay,
  isRunning,
  maxReports,
  replayedRules,
  type StoredChange,
  startReplay,
  type Tally,
} from './data-replay';
import { replayInput, replayOutput, startedReplay, startReplayInput } from './schema';

const tags = ['Anti-cheat'];
const path = '/projects/{projectId}/anti-cheat/replays';
const none: Tally = { raised: 0, replayed: 0, added: 0, gone: 0 };

const start = projectProcedure('anticheat:write')
  .meta({
    openapi: {
      method: 'POST',
      path,
      tags,
      summary: 'Replay rules over stored reports',
      description: `Applies the rules of a game, with the settings that you try, to what clients reported in the newest sessions, and compares the result with what was raised. It raises and changes nothing. One runs at a time for each project, in the background, over at most ${maxReports.toLocaleString('en')} reports; a new one replaces the last.`,
    },
    status: 202,
    errors: ['CONFLICT'],
    quotas: ['antiCheatReplays'],
  })
  .input(startReplayInput)
  .output(startedReplay)
  .mutation(async ({ ctx, input }) => {
    const { game, rules: settings, sessions } = input;
    const replay = { projectId: ctx.scope.projectId, userId: ctx.actingUser.id, game, settings, sessions };
    const created = await ctx.db.$transaction((tx) => createReplay(tx, replay));
    await startReplay(created.id, replay);
    return created;
  });

const get = projectProcedure('anticheat:read')
  .meta({
    openapi: {
      method: 'GET',
      path: `${path}/{replayId}`,
      tags,
      summary: 'Read a replay',
      description:
        'How far it is, what it counts for each rule, and one page of what differs. Gone once the next one starts.',
    },
  })
  .input(replayInput)
  .output(replayOutput)
  .query(async ({ ctx, input }) => {
    const { projectId } = ctx.scope;
    const row = await ctx.db.antiCheatReplay.findFirst({ where: { id: input.replayId, projectId } });
    if (!row) {
      throw refuse('NOT_FOUND', { message: 'There is no such replay. A newer one may have replaced it.' });
    }
    const tallies = row.tallies as Record<string, Tally>;
    const changes = row.changes as StoredChange[];
    const { skip, take } = pageArgs(input);
    const shown = changes.slice(skip, skip + take);
    const userIds = shown.map(({ userId }) => userId);
    const detectionIds = shown.flatMap(({ detectionId }) => detectionId ?? []);
    const [users, detections] = await Promise.all([
      ctx.db.user.findMany({ where: { id: { in: userIds } }, select: { id: true, name: true, takenOverAt: true } }),
      ctx.db.detection.findMany({
        where: { id: { in: detectionIds }, projectId },
        select: { id: true, verdict: true },
      }),
    ]);
    const usersById = new Map(users.map((user) => [user.id, user]));
    const verdicts = new Map(detections.map(({ id, verdict }) => [id, verdict]));
    const items = shown.map((change) => {
      const { name = null, takenOverAt = null } = usersById.get(change.userId) ?? {};
      const beforeTakeover = takenOverAt !== null && takenOverAt > new Date(change.windowStart);
      const verdict = verdicts.get(change.detectionId ?? '') ?? null;
      return { ...change, userName: beforeTakeover ? null : name, beforeTakeover, verdict };
    });
    const game: AntiCheatGame = row.game;
    return {
      id: row.id,
      game,
      state: isRunning(row)
        ? ('running' as const)
        : row.finishedAt && !row.failed
          ? ('finished' as const)
          : ('failed' as const),
      sessions: { done: row.sessionsDone, total: row.sessionIds.length },
      reportsRead: row.reportsRead,
      isPartial: row.isPartial,
      rules: replayedRules(game).map((rule) => ({ ...rule, ...(tallies[rule.ruleId] ?? none) })),
      changes: toPage(items, changes.length, input),
      createdAt: row.createdAt.toISOString(),
      finishedAt: row.finishedAt?.toISOString() ?? null,
    };
  });

/** Trying settings of rules on what was reported. */
export const replaysRouter = router({ start, get });
