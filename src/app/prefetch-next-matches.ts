import { isPlaying, ownMatchesInput } from '@/components/matches/own-matches-input';
import type { MyRegistrationsInput } from '@/components/participants/use-my-registrations';
import { prefetch, queryClient, trpc } from '@/trpc/server';

/** The viewer's registrations and the matches of those that are being played, for the first paint of their next matches. */
export async function prefetchNextMatches(input: MyRegistrationsInput): Promise<void> {
  const options = trpc.participants.myRegistrationSummaries.queryOptions(input);
  await prefetch(options);
  const registrations = queryClient().getQueryData(options.queryKey)?.items ?? [];
  await Promise.all(
    registrations
      .filter(isPlaying)
      .map(({ id, tournament }) => prefetch(trpc.matches.list.queryOptions(ownMatchesInput(tournament.slug, id)))),
  );
}
