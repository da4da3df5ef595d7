'use client';

import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useTRPC, useTRPCClient } from '@/trpc/client';
import { readError } from '@/trpc/errors';
import type { Outputs } from '@/trpc/outputs';

export type Tournament = Outputs['tournaments']['get'];
export type Registration = Outputs['participants']['mine'];
/** The registration form of a tournament, as the API describes it. */
export type RegistrationForm = Outputs['participants']['form'];

/** The tournament: rendered by the server first, then refetched. */
export function useTournament(slug: string): Tournament {
  const trpc = useTRPC();
  return useSuspenseQuery(trpc.tournaments.get.queryOptions({ tournamentId: slug })).data;
}

/**
 * Query key of the viewer's registration. It extends the key of `participants.mine`, so invalidating that one includes
 * it.
 */
export function useRegistrationQueryKey(slug: string): readonly unknown[] {
  return [...useTRPC().participants.mine.queryKey({ tournamentId: slug }), 'or null'];
}

/** The viewer's registration, null without one. `initial` is what the server rendered; fetches nothing unless signed in. */
export function useRegistration(slug: string, initial: Registration | null, signedIn: boolean): Registration | null {
  const client = useTRPCClient();
  const { data } = useQuery({
    queryKey: useRegistrationQueryKey(slug),
    queryFn: async (): Promise<Registration | null> => {
      try {
        return await client.participants.mine.query({ tournamentId: slug });
      } catch (error) {
        if (readError(error).reason === 'NOT_REGISTERED') return null;
        throw error;
      }
    },
    enabled: signedIn,
    initialData: initial,
  });
  return data;
}
