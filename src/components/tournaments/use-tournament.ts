'use client';

import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useTRPC, useTRPCClient } from '@/trpc/client';
import { readError } from '@/trpc/errors';
import type { Outputs } from '@/trpc/outputs';

export type Tournament = Outputs['tournaments']['get'];
export type Registration = Outputs['participants']['mine'];
/** What to ask who registers, as the API describes it. */
export type RegistrationForm = Outputs['participants']['form'];

/** The tournament, as the server rendered it and then as it is. */
export function useTournament(slug: string): Tournament {
  const trpc = useTRPC();
  return useSuspenseQuery(trpc.tournaments.get.queryOptions({ tournamentId: slug })).data;
}

/** Key of the viewer's registration; it begins as that of `participants.mine`, so that what is invalid there is here. */
export function useRegistrationQueryKey(slug: string): readonly unknown[] {
  return [...useTRPC().participants.mine.queryKey({ tournamentId: slug }), 'or null'];
}

/** The viewer's registration, null when they have none. `initial` is what the server found; asks nothing unless signed in. */
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
