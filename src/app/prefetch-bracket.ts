import { api, prefetch, trpc } from '@/trpc/server';

/**
 * Fetches the bracket of a tournament for the first paint, unless it is large: then the browser fetches it, and a worker thread
 * reads it. Rendering it would hold up everybody else's requests.
 * @returns whether it is large
 */
export async function prefetchBracket(slug: string): Promise<{ isLarge: boolean }> {
  const { matches } = await api();
  const { total } = await matches.list({ tournamentId: slug, limit: 1 });
  const isLarge = total > 0 && (await matches.isLarge({ tournamentId: slug }));
  if (total > 0 && !isLarge) await prefetch(trpc.matches.bracket.queryOptions({ tournamentId: slug }));
  return { isLarge };
}
