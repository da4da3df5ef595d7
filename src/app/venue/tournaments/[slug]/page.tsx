import type { Metadata } from 'next';
import { loadTournament } from '@/app/tournaments/[slug]/load-tournament';
import { LiveUpdates } from '@/components/brackets/screens/live-updates';
import { Screen } from '@/components/brackets/screens/screen';
import { ViewerZone } from '@/components/ui/text/date-time';
import { Hydrate, prefetch, trpc } from '@/trpc/server';

type Props = {
  params: Promise<{ slug: string }>;
  searchParams: Promise<Record<string, string | string[] | undefined>>;
};

export const metadata: Metadata = { title: 'Venue screen', robots: { index: false } };

/** A screen at the venue, with type to be read from afar. `?seconds=` sets how long each picture stays. */
export default async function VenuePage({ params, searchParams }: Props) {
  const { slug } = await params;
  const tournament = await loadTournament(slug);
  await prefetch(trpc.matches.bracket.queryOptions({ tournamentId: slug }));
  const seconds = Math.min(300, Math.max(3, Number((await searchParams).seconds) || 12));
  return (
    <ViewerZone zone={tournament.timezone}>
      <Hydrate>
        <LiveUpdates slug={slug} />
        <Screen slug={slug} name={tournament.name} seconds={seconds} look="venue" />
      </Hydrate>
    </ViewerZone>
  );
}
