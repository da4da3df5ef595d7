import type { Metadata } from 'next';
import { z } from 'zod';
import { loadProject } from '@/app/dashboard/load-project';
import { NewTournamentLink, NoTournaments } from '@/components/tournaments/manage/new-tournament';
import { TournamentFilters } from '@/components/tournaments/manage/tournament-filters';
import { TournamentTable } from '@/components/tournaments/manage/tournament-table';
import { ButtonLink } from '@/components/ui/form/button';
import { Pagination } from '@/components/ui/navigation/pagination';
import { EmptyState } from '@/components/ui/page/empty-state';
import { PageHeader } from '@/components/ui/page/page-header';
import { can } from '@/domain/projects/permissions';
import { tournamentStatus } from '@/domain/tournaments/settings';
import { api, orPage } from '@/trpc/server';

export const metadata: Metadata = { title: 'Tournaments' };

/** What stands in the address; anything else there is as good as nothing. */
const query = z.object({
  search: z.string().trim().max(100).optional().catch(undefined),
  game: z.string().max(40).optional().catch(undefined),
  status: tournamentStatus.optional().catch(undefined),
  sort: z.enum(['startDate', '-startDate']).optional().catch(undefined),
  page: z.coerce.number().int().min(1).max(10_000).optional().catch(undefined),
});

export default async function Page({
  params,
  searchParams,
}: {
  params: Promise<{ project: string }>;
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}) {
  const { project } = await loadProject((await params).project);
  const asked = query.parse(await searchParams);
  const call = await api();
  const [list, games] = await Promise.all([
    orPage(call.tournaments.forProject({ projectId: project.id, ...asked })),
    call.tournaments.games(),
  ]);
  const mayCreate = can(project.role, 'tournaments:write');
  const base = `/dashboard/${project.slug}/tournaments`;
  const newHref = mayCreate ? `${base}/new` : undefined;
  const filtered = asked.search || asked.game || asked.status;
  const any = Object.values(list.counts).some((count) => count > 0);

  function pageHref(page: number) {
    const { page: _page, ...rest } = asked;
    const kept = Object.entries({ ...rest, page: String(page) }).filter(([, value]) => value);
    return `${base}?${new URLSearchParams(Object.fromEntries(kept))}`;
  }

  return (
    <>
      <PageHeader
        title="Tournaments"
        actions={any && mayCreate ? <NewTournamentLink projectSlug={project.slug} /> : null}
      />
      {any ? (
        <TournamentFilters counts={list.counts} games={games} newHref={newHref}>
          <TournamentTable
            projectSlug={project.slug}
            rows={list.items}
            empty={
              <EmptyState
                title="No tournament fits"
                action={filtered ? <ButtonLink href={base}>Show all</ButtonLink> : undefined}
              >
                Search looks for the beginnings of words in the name.
              </EmptyState>
            }
          />
          <Pagination page={list.page} limit={list.limit} total={list.total} href={pageHref} noun="tournaments" />
        </TournamentFilters>
      ) : (
        <NoTournaments projectSlug={project.slug} mayCreate={mayCreate} />
      )}
    </>
  );
}
