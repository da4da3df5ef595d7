import type { Metadata } from 'next';
import { prefetchBracket } from '@/app/prefetch-bracket';
import { loadTournament } from '@/app/tournaments/[slug]/load-tournament';
import { MatchList } from '@/components/matches/match-list';
import { Hydrate } from '@/trpc/server';

type Params = { params: Promise<{ slug: string }> };

export async function generateMetadata({ params }: Params): Promise<Metadata> {
  return { title: 'Matches', alternates: { canonical: `/tournaments/${(await params).slug}/matches` } };
}

export default async function MatchesPage({ params }: Params) {
  const { slug } = await params;
  await loadTournament(slug);
  const { isLarge } = await prefetchBracket(slug);
  return (
    <Hydrate>
      <div className="mx-auto max-w-6xl px-4 sm:px-6">
        <MatchList slug={slug} isLarge={isLarge} />
      </div>
    </Hydrate>
  );
}
