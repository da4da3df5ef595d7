import type { Metadata } from 'next';
import { loadTournament, type Params } from '@/app/dashboard/[project]/tournaments/[tournament]/load-tournament';
import { defaultView, isView, type View } from '@/components/tournaments/desk/grid/views';
import { deskInput, nextPage } from '@/components/tournaments/desk/queries';
import { type DeskTab, TournamentDesk } from '@/components/tournaments/desk/tournament-desk';
import { api, Hydrate, queryClient, trpc } from '@/trpc/server';

export async function generateMetadata({ params }: { params: Params }): Promise<Metadata> {
  const { project, tournament } = await params;
  return { title: (await loadTournament(project, tournament)).tournament.name };
}

const tabs: ReadonlySet<string> = new Set<DeskTab>(['matches', 'participants', 'seeding', 'schedule']);
const isTab = (text: unknown): text is DeskTab => typeof text === 'string' && tabs.has(text);

export default async function Page({
  params,
  searchParams,
}: {
  params: Params;
  searchParams: Promise<{ view?: string | string[]; tab?: string | string[] }>;
}) {
  const { project: projectSlug, tournament: key } = await params;
  const { project, tournament } = await loadTournament(projectSlug, key);
  const tournamentId = tournament.id;
  const { view, tab } = await searchParams;
  queryClient().setQueryData(trpc.tournaments.get.queryKey({ tournamentId }), tournament);
  let opening: View = 'approved';
  if (tournament.canManage) {
    const rows = trpc.participants.desk.infiniteQueryOptions(deskInput(tournamentId), { getNextPageParam: nextPage });
    const [counts] = await Promise.all([
      (await api()).participants.counts({ tournamentId }),
      queryClient().prefetchInfiniteQuery(rows),
    ]);
    queryClient().setQueryData(trpc.participants.counts.queryKey({ tournamentId }), counts);
    opening = defaultView(counts, tournament.checkInOpen);
  }
  return (
    <Hydrate>
      <TournamentDesk
        project={{ slug: project.slug, role: project.role }}
        tournamentId={tournamentId}
        initialTab={isTab(tab) ? tab : isView(view) ? 'participants' : null}
        initialView={isView(view) ? view : opening}
      />
    </Hydrate>
  );
}
