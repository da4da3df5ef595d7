import type { Metadata } from 'next';
import { loadTournament } from '@/app/tournaments/[slug]/load-tournament';
import { MatchList } from '@/components/matches/match-list';
import { Hydrate, prefetch, trpc } from '@/trpc/server';

type Params = { params: Promise<{ slug: string }> };

export async function generateMetadata({ params }: Params): Promise<Metadata> {
  return { title: 'Matches', alternates: { canonical: `/tournaments/${(await params).slug}/matches` } };
}

export default async function MatchesPage({ params }: Params) {
  const { slug } = await params;
  await loadTournament(slug);
  await prefetch(trpc.matches.bracket.queryOptions({ tournamentId: slug }));
  return (
    <Hydrate>
      <div className="mx-auto max-w-6xl px-4 sm:px-6">
        <MatchList slug={slug} />
      </div>
    </Hydrate>
  );
}
