'use client';

import { useQuery } from '@tanstack/react-query';
import { NextMatch } from '@/components/matches/next-match';
import { useTRPC } from '@/trpc/client';

/** The viewer's next match in each tournament they are playing in. `participantId`: only of this one, on its tournament's page. */
export function MyNextMatches({ participantId }: { participantId?: string }) {
  const trpc = useTRPC();
  const { data } = useQuery(trpc.matches.myNextMatches.queryOptions({ participantId }));
  return (data ?? []).map((match) => (
    <NextMatch
      key={match.me.participantId}
      match={match}
      tournamentName={participantId ? undefined : match.tournament.name}
    />
  ));
}
