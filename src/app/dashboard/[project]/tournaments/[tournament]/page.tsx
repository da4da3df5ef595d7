import type { Metadata } from 'next';
import { loadTournament, type Params } from '@/app/dashboard/[project]/tournaments/[tournament]/load-tournament';
import { entrantsInput, type View, views } from '@/components/organizer/queries';
import { TournamentDesk } from '@/components/organizer/tournament-desk';
import { isAtLeast } from '@/components/projects/roles';
import { Hydrate, prefetch, queryClient, trpc } from '@/trpc/server';

export async function generateMetadata({ params }: { params: Params }): Promise<Metadata> {
  const { project, tournament } = await params;
  return { title: (await loadTournament(project, tournament)).tournament.name };
}

export default async function Page({
  params,
  searchParams,
}: {
  params: Params;
  searchParams: Promise<{ view?: string | string[] }>;
}) {
  const { project: projectSlug, tournament: key } = await params;
  const { project, tournament } = await loadTournament(projectSlug, key);
  const tournamentId = tournament.id;
  const { view: asked } = await searchParams;
  const seesAll = isAtLeast(project.role, 'MODERATOR');
  const view = seesAll && typeof asked === 'string' && Object.hasOwn(views, asked) ? (asked as View) : 'approved';
  queryClient().setQueryData(trpc.tournaments.get.queryKey({ tournamentId }), tournament);
  await Promise.all([
    prefetch(trpc.participants.list.queryOptions(entrantsInput(tournamentId, view))),
    seesAll ? prefetch(trpc.participants.counts.queryOptions({ tournamentId })) : null,
  ]);
  return (
    <Hydrate>
      <TournamentDesk
        project={{ slug: project.slug, role: project.role }}
        tournamentId={tournamentId}
        firstView={view}
      />
    </Hydrate>
  );
}
