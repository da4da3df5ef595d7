import type { Outputs } from '@/trpc/outputs';
import { api, orPage } from '@/trpc/server';

/** Every game that a project can use, by name. */
export async function loadGames(projectId: string): Promise<Outputs['tournaments']['projectGames']['items']> {
  const call = await api();
  const games: Outputs['tournaments']['projectGames']['items'] = [];
  for (let page = 1; ; page += 1) {
    const { items, hasNext } = await orPage(call.tournaments.projectGames({ projectId, page, limit: 100 }));
    games.push(...items);
    if (!hasNext) return games;
  }
}
