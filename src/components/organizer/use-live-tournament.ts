'use client';

import { useQueryClient } from '@tanstack/react-query';
import { useSubscription } from '@trpc/tanstack-react-query';
import { useCallback, useEffect, useRef } from 'react';
import { useTRPC } from '@/trpc/client';
import { useReconnect } from '@/trpc/reconnect';

const quietMs = 700;

/**
 * Reads the tournament, its entrants and their counts again when anyone changes them. A rush of notices becomes one
 * reading. @returns `live`: whether notices arrive now, null until that is known
 */
export function useLiveTournament(tournamentId: string) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  const readAgain = useCallback(() => {
    clearTimeout(timer.current);
    timer.current = undefined;
    void queryClient.invalidateQueries({ queryKey: trpc.tournaments.get.queryKey({ tournamentId }) });
    void queryClient.invalidateQueries({ queryKey: trpc.participants.counts.queryKey({ tournamentId }) });
    for (const path of [trpc.participants.desk, trpc.participants.read, trpc.participants.history]) {
      void queryClient.invalidateQueries({ queryKey: path.pathKey() });
    }
  }, [queryClient, trpc, tournamentId]);

  useEffect(() => () => clearTimeout(timer.current), []);

  const subscription = useSubscription(
    trpc.tournaments.live.subscriptionOptions(
      { tournamentId },
      {
        onData: () => {
          timer.current ??= setTimeout(readAgain, quietMs);
        },
      },
    ),
  );
  return { live: useReconnect(subscription), readAgain };
}
