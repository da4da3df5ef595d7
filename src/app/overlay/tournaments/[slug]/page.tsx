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

export const metadata: Metadata = { title: 'Overlay', robots: { index: false } };

/** A browser source for streams: 1920 by 1080, transparent. `?seconds=` sets how long each picture stays. */
export default async function OverlayPage({ params, searchParams }: Props) {
  const { slug } = await params;
  const tournament = await loadTournament(slug);
  await prefetch(trpc.matches.bracket.queryOptions({ tournamentId: slug }));
  const seconds = Math.min(300, Math.max(3, Number((await searchParams).seconds) || 12));
  return (
    <ViewerZone zone={tournament.timezone}>
      <style>{'html, body { background: transparent; } html[data-theme] { color-scheme: normal; }'}</style>
      <Hydrate>
        <LiveUpdates slug={slug} />
        <Screen slug={slug} name={tournament.name} seconds={seconds} look="overlay" />
      </Hydrate>
    </ViewerZone>
  );
}
