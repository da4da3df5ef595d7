import { orPage, queryClient, trpc } from '@/trpc/server';

/** The tournament with this slug, fetched once per request and sent on to the browser; the not-found page without one. */
export function loadTournament(slug: string) {
  return orPage(queryClient().fetchQuery(trpc.tournaments.get.queryOptions({ tournamentId: slug })));
}

/** The beginning of a Markdown text as plain text of at most `limit` characters, for page descriptions. */
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
