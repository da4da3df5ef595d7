import { api, prefetch, trpc } from '@/trpc/server';

/** Most matches that a page contains when it arrives; rendering more would hold up everybody else's requests. */
const maxMatches = 256;

/**
 * Fetches the bracket of a tournament for the first paint, unless it is large: then the browser fetches it.
 * @returns whether it is large
 */
export async function prefetchBracket(slug: string): Promise<{ isLarge: boolean }> {
  const { total } = await (await api()).matches.list({ tournamentId: slug, limit: 1 });
  const isLarge = total > maxMatches;
  if (total > 0 && !isLarge) await prefetch(trpc.matches.bracket.queryOptions({ tournamentId: slug }));
  return { isLarge };
}
