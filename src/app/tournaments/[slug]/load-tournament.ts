import { orNull, orPage, queryClient, trpc } from '@/trpc/server';

/** The tournament with this slug; null when there is none. */
export function findTournament(slug: string) {
  return orNull(queryClient().fetchQuery(trpc.tournaments.get.queryOptions({ tournamentId: slug })));
}

/** The tournament with this slug, fetched once per request and sent on to the browser; the not-found page without one. */
export function loadTournament(slug: string) {
  return orPage(queryClient().fetchQuery(trpc.tournaments.get.queryOptions({ tournamentId: slug })));
}
