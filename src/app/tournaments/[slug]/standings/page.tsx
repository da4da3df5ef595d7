import type { Metadata } from 'next';
import { loadTournament } from '@/app/tournaments/[slug]/load-tournament';
import { Standings } from '@/components/brackets/tables/standings';
import { Hydrate, prefetch, trpc } from '@/trpc/server';

type Params = { params: Promise<{ slug: string }> };

export async function generateMetadata({ params }: Params): Promise<Metadata> {
  return { title: 'Standings', alternates: { canonical: `/tournaments/${(await params).slug}/standings` } };
}

export default async function StandingsPage({ params }: Params) {
  const { slug } = await params;
  await loadTournament(slug);
  await prefetch(trpc.matches.standings.queryOptions({ tournamentId: slug }));
  return (
    <Hydrate>
      <div className="mx-auto max-w-6xl px-4 sm:px-6">
        <Standings slug={slug} />
      </div>
    </Hydrate>
  );
}
