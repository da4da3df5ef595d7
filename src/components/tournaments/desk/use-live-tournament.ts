'use client';

import { useQueryClient } from '@tanstack/react-query';
import { useSubscription } from '@trpc/tanstack-react-query';
import { useCallback } from 'react';
import { useNotices } from '@/components/matches/thread/use-notices';
import { useTRPC } from '@/trpc/client';
import { useBatchedRefetch, useReconnect } from '@/trpc/reconnect';

const wait = { min: 700, max: 700 };

/**
 * Refetches the tournament, its participants, their counts and the matches when anyone changes them.
 * @returns `live`: whether live updates are connected, null until that is known
 */
export function useLiveTournament(tournamentId: string) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();

  const invalidateAll = useCallback(async () => {
    const stale = [
      trpc.tournaments.get.queryKey({ tournamentId }),
      trpc.participants.counts.queryKey({ tournamentId }),
      trpc.participants.desk.pathKey(),
      trpc.participants.read.pathKey(),
      trpc.participants.history.pathKey(),
      trpc.matches.pathKey(),
    ];
    await Promise.all(stale.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
  }, [queryClient, trpc, tournamentId]);

  const refetch = useBatchedRefetch(invalidateAll, wait);
  const onData = useNotices(refetch);
  const subscription = useSubscription(trpc.tournaments.live.subscriptionOptions({ tournamentId }, { onData }));
  return { live: useReconnect(subscription, refetch), refresh: () => void invalidateAll() };
}
