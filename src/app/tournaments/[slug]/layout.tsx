import type { Metadata } from 'next';
import { permanentRedirect } from 'next/navigation';
import type { ReactNode } from 'react';
import { MyNextMatches } from '@/components/matches/my-next-matches';
import { SiteShell } from '@/components/shell/site-shell';
import { TournamentHeader } from '@/components/tournaments/public/tournament-header';
import { ViewerZone } from '@/components/ui/text/date-time';
import { plainExcerpt } from '@/domain/text/excerpt';
import { formatInstant } from '@/domain/time/zones';
import { formatLabel, matchSizeLabel } from '@/domain/tournaments/words';
import { publicUrl } from '@/env';
import { api, Hydrate, orNull, prefetch, trpc, viewer } from '@/trpc/server';
import { findTournament, loadTournament } from './load-tournament';

type Params = { params: Promise<{ slug: string }> };

export async function generateMetadata({ params }: Params): Promise<Metadata> {
  // The page itself answers that there is none: the title of an error here would be empty.
  const tournament = await findTournament((await params).slug);
  if (!tournament) return { title: { default: 'Tournament not found', template: '%s · Laurel' } };
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
  const { status } = tournament;
  const call = await api();
  const registration =
    user && status === 'IN_PROGRESS' ? await orNull(call.participants.mine({ tournamentId: slug })) : null;
  const playing = registration?.registrationStatus === 'approved' ? registration.id : null;
  await Promise.all([
    status === 'COMPLETED' ? prefetch(trpc.matches.champion.queryOptions({ tournamentId: slug })) : null,
    playing ? prefetch(trpc.matches.myNextMatches.queryOptions({ participantId: playing })) : null,
  ]);

  return (
    <SiteShell viewer={user} width="full">
      <ViewerZone zone={user?.timezone ?? null}>
        <Hydrate>
          <div className="mx-auto grid max-w-6xl grid-cols-1 px-4 pt-8 sm:px-6 sm:pt-10">
            <TournamentHeader slug={slug} />
            {playing ? <MyNextMatches participantId={playing} /> : null}
          </div>
          {children}
        </Hydrate>
      </ViewerZone>
    </SiteShell>
  );
}
