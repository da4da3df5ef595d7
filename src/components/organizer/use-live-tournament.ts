'use client';

import { useQueryClient } from '@tanstack/react-query';
import { useSubscription } from '@trpc/tanstack-react-query';
import { useCallback } from 'react';
import { useTRPC } from '@/trpc/client';
import { useGathered, useReconnect } from '@/trpc/reconnect';

const wait = { least: 700, most: 700 };

/**
 * Reads the tournament, its entrants and their counts again when anyone changes them.
 * @returns `live`: whether notices arrive now, null until that is known
 */
export function useLiveTournament(tournamentId: string) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();

  const readAgain = useCallback(() => {
    void queryClient.invalidateQueries({ queryKey: trpc.tournaments.get.queryKey({ tournamentId }) });
    void queryClient.invalidateQueries({ queryKey: trpc.participants.counts.queryKey({ tournamentId }) });
    for (const path of [trpc.participants.desk, trpc.participants.read, trpc.participants.history]) {
      void queryClient.invalidateQueries({ queryKey: path.pathKey() });
    }
  }, [queryClient, trpc, tournamentId]);

  const onData = useGathered(readAgain, wait);
  const subscription = useSubscription(trpc.tournaments.live.subscriptionOptions({ tournamentId }, { onData }));
  return { live: useReconnect(subscription), readAgain };
}
