import type { ComponentProps } from 'react';
import { prefetchBracket } from '@/app/prefetch-bracket';
import { LiveUpdates } from '@/components/brackets/screens/live-updates';
import { Screen } from '@/components/brackets/screens/screen';
import { ViewerZone } from '@/components/ui/text/date-time';
import { Hydrate } from '@/trpc/server';
import { loadTournament } from './load-tournament';

export type ScreenProps = {
  params: Promise<{ slug: string }>;
  searchParams: Promise<Record<string, string | string[] | undefined>>;
};

/** A picture of a tournament that nobody touches: a browser source or a screen. `?seconds=` sets how long each stays. */
export async function ScreenPage({
  params,
  searchParams,
  look,
}: ScreenProps & Pick<ComponentProps<typeof Screen>, 'look'>) {
  const { slug } = await params;
  const tournament = await loadTournament(slug);
  await prefetchBracket(slug);
  const seconds = Math.min(300, Math.max(3, Number((await searchParams).seconds) || 12));
  return (
    <ViewerZone zone={tournament.timezone}>
      <Hydrate>
        <LiveUpdates slug={slug} />
        <Screen slug={slug} name={tournament.name} seconds={seconds} look={look} />
      </Hydrate>
    </ViewerZone>
  );
}
