'use client';

import { useQueryClient } from '@tanstack/react-query';
import { useSubscription } from '@trpc/tanstack-react-query';
import { useCallback, useEffect, useRef } from 'react';
import { useTRPC } from '@/trpc/client';

const quietMs = 700;

/**
 * Reads the tournament, its entrants and their counts again when anyone changes them. A rush of notices becomes one
 * reading. @returns the state of the connection: `pending` while notices arrive
 */
export function useLiveTournament(tournamentId: string) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const first = useRef(true);

  const readAgain = useCallback(() => {
    clearTimeout(timer.current);
    timer.current = undefined;
    void queryClient.invalidateQueries({ queryKey: trpc.tournaments.get.queryKey({ tournamentId }) });
    void queryClient.invalidateQueries({ queryKey: trpc.participants.counts.queryKey({ tournamentId }) });
    void queryClient.invalidateQueries({ queryKey: trpc.participants.list.pathKey() });
  }, [queryClient, trpc, tournamentId]);

  useEffect(() => () => clearTimeout(timer.current), []);

  const { status } = useSubscription(
    trpc.tournaments.live.subscriptionOptions(
      { tournamentId },
      {
        onData: () => {
          // The server has just rendered what the first notice says to read.
          if (first.current) first.current = false;
          else timer.current ??= setTimeout(readAgain, quietMs);
        },
      },
    ),
  );
  return { status, readAgain };
}
