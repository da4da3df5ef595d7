import type { Metadata } from 'next';
import { loadTournament, type Params } from '@/app/dashboard/[project]/tournaments/[tournament]/load-tournament';
import { entrantsInput } from '@/components/organizer/queries';
import { TournamentDesk } from '@/components/organizer/tournament-desk';
import { isAtLeast } from '@/components/projects/roles';
import { Hydrate, prefetch, queryClient, trpc } from '@/trpc/server';

export async function generateMetadata({ params }: { params: Params }): Promise<Metadata> {
  const { project, tournament } = await params;
  return { title: (await loadTournament(project, tournament)).tournament.name };
}

export default async function Page({ params }: { params: Params }) {
  const { project: projectSlug, tournament: key } = await params;
  const { project, tournament } = await loadTournament(projectSlug, key);
  const tournamentId = tournament.id;
  queryClient().setQueryData(trpc.tournaments.get.queryKey({ tournamentId }), tournament);
  await Promise.all([
    prefetch(trpc.participants.list.queryOptions(entrantsInput(tournamentId, 'approved'))),
    isAtLeast(project.role, 'MODERATOR') ? prefetch(trpc.participants.counts.queryOptions({ tournamentId })) : null,
  ]);
  return (
    <Hydrate>
      <TournamentDesk project={{ slug: project.slug, role: project.role }} tournamentId={tournamentId} />
    </Hydrate>
  );
}
