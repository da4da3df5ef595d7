'use client';

import { useQuery } from '@tanstack/react-query';
import { NextMatch } from '@/components/matches/next-match';
import { isPlaying } from '@/components/matches/own-matches-input';
import type { MyRegistrationsInput } from '@/components/participants/use-my-registrations';
import { useTRPC } from '@/trpc/client';

/** The viewer's next match in each tournament they are playing in. */
export function MyNextMatches({ input }: { input: MyRegistrationsInput }) {
  const trpc = useTRPC();
  const { data } = useQuery(trpc.participants.myRegistrationSummaries.queryOptions(input));
  return (data?.items ?? [])
    .filter(isPlaying)
    .map(({ id, tournament }) => (
      <NextMatch
        key={id}
        slug={tournament.slug}
        participantId={id}
        resultMode={tournament.resultMode}
        tournamentName={tournament.name}
      />
    ));
}
