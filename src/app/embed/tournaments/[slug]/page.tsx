import { ExternalLink } from 'lucide-react';
import type { Metadata } from 'next';
import { prefetchBracket } from '@/app/prefetch-bracket';
import { loadTournament } from '@/app/tournaments/[slug]/load-tournament';
import { BracketView } from '@/components/brackets/bracket-view';
import { LiveUpdates } from '@/components/brackets/screens/live-updates';
import { PhaseBadge } from '@/components/tournaments/phase-badge';
import { tournamentPhase } from '@/domain/tournaments/phase';
import { Hydrate } from '@/trpc/server';

type Props = { params: Promise<{ slug: string }> };

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { slug } = await params;
  const title = (await loadTournament(slug)).name;
  return { title, robots: { index: false }, alternates: { canonical: `/tournaments/${slug}/bracket` } };
}

/** The bracket for a frame in another site; the only page that may be framed. */
export default async function EmbedPage({ params }: Props) {
  const { slug } = await params;
  const tournament = await loadTournament(slug);
  const { isLarge } = await prefetchBracket(slug);
  const { phase } = tournamentPhase(tournament, Date.parse(tournament.serverTime));
  return (
    <main className="grid grid-cols-1 gap-4 p-4">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h1 className="display min-w-0 text-xl wrap-anywhere" dir="auto">
          <a
            href={`/tournaments/${slug}/bracket`}
            target="_blank"
            rel="noreferrer"
            className="underline-offset-4 hover:underline"
          >
            {tournament.name}
            <ExternalLink aria-label="Opens on Laurel" role="img" className="ml-1.5 inline size-4 text-faint" />
          </a>
        </h1>
        <PhaseBadge phase={phase} />
      </header>
      <Hydrate>
        <LiveUpdates slug={slug} />
        <BracketView slug={slug} isLarge={isLarge} framed />
      </Hydrate>
    </main>
  );
}
