import { router } from '@/server/trpc';
import { bannerRouter } from './banner';
import { get } from './detail';
import { createGame, games, projectGames } from './games/games';
import { cancel, publish } from './lifecycle';
import { forProject, list, sitemap } from './list';
import { live } from './live';
import { questionsRouter } from './questions/questions';
import { create, remove, update } from './settings';
import { closeCheckIn, closeRegistration, openCheckIn, openRegistration } from './windows';

export const tournamentsRouter = router({
  list,
  sitemap,
  get,
  forProject,
  games,
  projectGames,
  createGame,
  live,
  create,
  update,
  remove,
  publish,
  cancel,
  openRegistration,
  closeRegistration,
  openCheckIn,
  closeCheckIn,
  banner: bannerRouter,
  questions: questionsRouter,
});
