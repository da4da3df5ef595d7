'use client';

import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { useTRPC } from '@/trpc/client';

/** Refetches what a changed match shows up in: the matches, the tournament and its participants. */
export function useRefreshMatches(): () => void {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  return useCallback(() => {
    for (const queryKey of [trpc.matches.pathKey(), trpc.tournaments.get.pathKey(), trpc.participants.pathKey()]) {
      void queryClient.invalidateQueries({ queryKey });
    }
  }, [queryClient, trpc]);
}
