import type { Metadata } from 'next';
import { loadTournament } from '@/app/tournaments/[slug]/load-tournament';
import { Standings } from '@/components/brackets/tables/standings';
import { standingsInput } from '@/components/brackets/tables/standings-input';
import { Hydrate, prefetch, trpc } from '@/trpc/server';

type Params = { params: Promise<{ slug: string }> };
type Search = { searchParams: Promise<Record<string, string | string[] | undefined>> };

export async function generateMetadata({ params }: Params): Promise<Metadata> {
  return { title: 'Standings', alternates: { canonical: `/tournaments/${(await params).slug}/standings` } };
}

export default async function StandingsPage({ params, searchParams }: Params & Search) {
  const { slug } = await params;
  const { places, table } = await searchParams;
  await loadTournament(slug);
  await prefetch(trpc.matches.standingsPage.queryOptions(standingsInput(slug, places, table)));
  return (
    <Hydrate>
      <div className="mx-auto max-w-6xl px-4 sm:px-6">
        <Standings slug={slug} />
      </div>
    </Hydrate>
  );
}
