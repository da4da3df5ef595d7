import type { Metadata } from 'next';
import { permanentRedirect } from 'next/navigation';
import type { ReactNode } from 'react';
import { SiteShell } from '@/components/shell/site-shell';
import { PlayerPanel } from '@/components/tournaments/public/player-panel';
import { TournamentHeader } from '@/components/tournaments/public/tournament-header';
import { ViewerZone } from '@/components/ui/text/date-time';
import { formatInstant } from '@/domain/time/zones';
import { formatLabel, matchSizeLabel } from '@/domain/tournaments/words';
import { publicUrl } from '@/env';
import { api, Hydrate, orNull, viewer } from '@/trpc/server';
import { loadTournament, plainExcerpt } from './load-tournament';

type Params = { params: Promise<{ slug: string }> };

export async function generateMetadata({ params }: Params): Promise<Metadata> {
  const tournament = await loadTournament((await params).slug);
  const { slug, name, gameName, teamSize, format, startDate, timezone, visibility, status, bannerUrl } = tournament;
  const facts = `${gameName}, ${matchSizeLabel(teamSize)}, ${formatLabel(format)}. ${formatInstant(startDate, timezone)}.`;
  const description = `${facts} ${plainExcerpt(tournament.description)}`.trim();
  const url = `/tournaments/${slug}`;
  // An `images` key, even undefined, would override opengraph-image.
  const image = bannerUrl ? { images: [bannerUrl] } : {};
  const hidden = visibility !== 'public' || status === 'DRAFT';
  return {
    metadataBase: new URL(publicUrl),
    title: { default: name, template: `%s · ${name}` },
    description,
    alternates: { canonical: url },
    robots: hidden ? { index: false } : undefined,
    openGraph: { type: 'website', siteName: 'Laurel', title: name, description, url, ...image },
    twitter: { card: 'summary_large_image', title: name, description, ...image },
  };
}

export default async function TournamentLayout({ params, children }: Params & { children: ReactNode }) {
  const { slug } = await params;
  const tournament = await loadTournament(slug);
  if (tournament.slug !== slug) permanentRedirect(`/tournaments/${tournament.slug}`);
  const user = await viewer();
  const registration = user ? await orNull((await api()).participants.mine({ tournamentId: slug })) : null;

  return (
    <SiteShell viewer={user}>
      <ViewerZone zone={user?.timezone ?? null}>
        <Hydrate>
          <TournamentHeader slug={slug} />
          <div className="grid grid-cols-1 gap-x-8 gap-y-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
            <aside className="lg:col-start-2 lg:row-start-1">
              <div className="lg:sticky lg:top-20">
                <PlayerPanel
                  key={user?.id ?? ''}
                  slug={slug}
                  player={user ? { id: user.id, name: user.name } : null}
                  initial={registration}
                />
              </div>
            </aside>
            <div className="min-w-0 lg:col-start-1 lg:row-start-1">{children}</div>
          </div>
        </Hydrate>
      </ViewerZone>
    </SiteShell>
  );
}
