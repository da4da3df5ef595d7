import { expectedVersion } from '@/server/if-match';
import { projectProcedure } from '@/server/routers/projects/gate';
import { router } from '@/server/trpc';
import { readRules, updateRules } from './data-rules';
import { gameInput, rulesOutput, updateRulesInput } from './schema';

const tags = ['Anti-cheat'];
const path = '/projects/{projectId}/anti-cheat/rules/{game}';

const get = projectProcedure('anticheat:read')
  .meta({
    openapi: {
      method: 'GET',
      path,
      tags,
      summary: 'Read the rules of a game',
      description: 'Every rule with its thresholds as the project has tuned them, the standard, and the allowed range.',
    },
  })
  .input(gameInput)
  .output(rulesOutput)
  .query(({ ctx, input }) => readRules(ctx.db, ctx.scope.projectId, input.game));

const update = projectProcedure('anticheat:write')
  .meta({
    openapi: {
      method: 'PATCH',
      path,
      tags,
      summary: 'Tune the rules of a game',
      description:
        'Rules that are not named stay as they are. Running sessions use the new thresholds within seconds; detections that were raised stay.',
    },
    errors: ['VERSION_MISMATCH'],
  })
  .input(updateRulesInput)
  .output(rulesOutput)
  .mutation(({ ctx, input }) => {
    const { game, rules: changes } = input;
    const { projectId } = ctx.scope;
    const version = expectedVersion(ctx.ifMatch, input.version);
    return ctx.db.$transaction(async (tx) => {
      await updateRules(tx, ctx.by, { projectId, userId: ctx.actingUser.id, game, changes, version });
      return readRules(tx, projectId, game);
    });
  });

/** The rules of a game, as a project has tuned them. */
export const rulesRouter = router({ get, update });
