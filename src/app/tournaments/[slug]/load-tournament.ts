import { orPage, queryClient, trpc } from '@/trpc/server';

/** The tournament at this address, fetched once a request and handed on to the browser; others get the not-found page. */
export function loadTournament(slug: string) {
  return orPage(queryClient().fetchQuery(trpc.tournaments.get.queryOptions({ tournamentId: slug })));
}

/** The beginning of a text in markdown as plain words, for descriptions of at most `limit` characters. */
export function plainExcerpt(markdown: string, limit = 160): string {
  const text = markdown
    .replace(/```[\s\S]*?```/g, ' ')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/^\s*(?:[-+*]|\d+\.)\s+/gm, '')
    .replace(/[#>*_`~|]+/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  return text.length > limit ? `${text.slice(0, limit - 1).trimEnd()}…` : text;
}
