'use client';

import { useQuery } from '@tanstack/react-query';
import { useTournament } from '@/components/tournaments/use-tournament';
import { useTRPC } from '@/trpc/client';
import { readError } from '@/trpc/errors';

/** The bracket of a tournament: rendered by the server first, then refetched on live updates. */
export function useBracket(slug: string) {
  const trpc = useTRPC();
  const { status } = useTournament(slug);
  const query = useQuery(
    trpc.matches.bracket.queryOptions(
      { tournamentId: slug },
      {
        // Before the start there is none.
        enabled: status !== 'DRAFT' && status !== 'PUBLISHED',
        // One that was cancelled before it began has none either, and asking again says the same.
        retry: (count, error) => count < 2 && readError(error).status !== 409,
      },
    ),
  );
  const isMissing = query.error !== null && readError(query.error).reason === 'BRACKET_NOT_AVAILABLE';
  return { query, bracket: query.data ?? null, isMissing };
}
