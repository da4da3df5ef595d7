import type { Metadata } from 'next';
import { prefetchBracket } from '@/app/prefetch-bracket';
import { loadTournament } from '@/app/tournaments/[slug]/load-tournament';
import { BracketView } from '@/components/brackets/bracket-view';
import { Hydrate } from '@/trpc/server';

type Params = { params: Promise<{ slug: string }> };

export async function generateMetadata({ params }: Params): Promise<Metadata> {
  return { title: 'Bracket', alternates: { canonical: `/tournaments/${(await params).slug}/bracket` } };
}

export default async function BracketPage({ params }: Params) {
  const { slug } = await params;
  await loadTournament(slug);
  const { isLarge } = await prefetchBracket(slug);
  return (
    <Hydrate>
      <div className="px-4 sm:px-6 print:px-0">
        <BracketView slug={slug} isLarge={isLarge} />
      </div>
    </Hydrate>
  );
}
