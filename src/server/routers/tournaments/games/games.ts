import { audit } from '@/server/events/emit';
import { pageArgs, toPage } from '@/server/paging';
import { lockProject } from '@/server/routers/projects/data';
import { projectProcedure } from '@/server/routers/projects/gate';
import {
  createGameInput,
  game,
  gamesOutput,
  projectGamesInput,
  projectGamesOutput,
} from '@/server/routers/tournaments/schema';
import { publicProcedure } from '@/server/trpc';
import { addGame, availableTo, gameSelect, presentGame } from './data';

const tags = ['Tournaments'];

/** The instance's games, for filters. */
export const games = publicProcedure
  .output(gamesOutput)
  .query(({ ctx }) =>
    ctx.db.game.findMany({ where: { scope: '' }, select: { id: true, name: true }, orderBy: { name: 'asc' } }),
  );

export const projectGames = projectProcedure('tournaments:read')
  .meta({
    openapi: {
      method: 'GET',
      path: '/projects/{projectId}/games',
      tags,
      summary: 'List the games that a project can use',
      description: "The instance's games and those of the project's own, by name.",
    },
  })
  .input(projectGamesInput)
  .output(projectGamesOutput)
  .query(async ({ ctx, input }) => {
    const where = availableTo(ctx.scope.projectId);
    const [rows, total] = await Promise.all([
      ctx.db.game.findMany({
        where,
        select: gameSelect,
        orderBy: [{ name: 'asc' }, { id: 'asc' }],
        ...pageArgs(input),
      }),
      ctx.db.game.count({ where }),
    ]);
    return toPage(rows.map(presentGame), total, input);
  });

export const createGame = projectProcedure('tournaments:write')
  .meta({
    openapi: {
      method: 'POST',
      path: '/projects/{projectId}/games',
      tags,
      summary: 'Add a game to a project',
      description:
        'For games that the instance does not have. The key is made from the name; tournaments of this project, and of no other, take it as `game`.',
    },
    status: 201,
    errors: ['GAME_EXISTS'],
    quotas: ['games'],
  })
  .input(createGameInput)
  .output(game)
  .mutation(({ ctx, input: { name } }) => {
    const { projectId } = ctx.scope;
    return ctx.db.$transaction(async (tx) => {
      await lockProject(tx, projectId, ctx.actingUser.id, 'tournaments:write');
      const added = await addGame(tx, projectId, name);
      await audit(tx, ctx.by, {
        projectId,
        action: 'game.create',
        targetType: 'game',
        targetId: added.id,
        details: { name: added.name },
      });
      return presentGame(added);
    });
  });
