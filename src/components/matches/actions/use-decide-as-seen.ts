'use client';

import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { decideAsSeen, ReportsChanged, type Seen } from '@/components/matches/actions/decide-as-seen';
import { useRefreshMatches } from '@/components/matches/actions/use-refresh-matches';
import type { Match } from '@/components/matches/types';
import { useTRPCClient } from '@/trpc/client';

/**
 * What staff decide in a dialog about a match, as they see it. Where the reports have changed, it is refused and `changed` has the match
 * from before and from now; the next press decides whatever is reported by then.
 */
export function useDecideAsSeen<Choice, Decided>(
  match: Match,
  {
    decide,
    isPossible = () => true,
    onSuccess,
  }: {
    decide: (choice: Choice, version: number) => Promise<Decided>;
    isPossible?: (now: Seen) => boolean;
    onSuccess: () => void;
  },
) {
  const client = useTRPCClient();
  const refresh = useRefreshMatches();
  const [before] = useState<Seen>(match);
  const [refusedWith, setRefusedWith] = useState<Seen | null>(null);
  const mutation = useMutation({
    mutationFn: (choice: Choice) =>
      decideAsSeen(before, {
        anyReports: refusedWith !== null,
        read: () => client.matches.get.query({ matchId: match.id }),
        isPossible,
        decide: (version) => decide(choice, version),
      }),
    onSuccess: () => {
      refresh();
      onSuccess();
    },
    onError: (error) => {
      if (error instanceof ReportsChanged) setRefusedWith(error.now);
      refresh();
    },
  });
  // The page follows the match, and may be a moment behind the refusal.
  const now = refusedWith && refusedWith.version > match.version ? refusedWith : match;
  return { ...mutation, changed: refusedWith && { before, now } };
}
