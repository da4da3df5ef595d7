import type { Metadata } from 'next';
import { z } from 'zod';
import { loadGames } from '@/app/dashboard/load-games';
import { loadProject } from '@/app/dashboard/load-project';
import { ImportButton } from '@/components/tournaments/exchange/import-button';
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

/** The filters in the address; invalid ones are ignored. */
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
  const filters = query.parse(await searchParams);
  const call = await api();
  const [list, games] = await Promise.all([
    orPage(call.tournaments.forProject({ projectId: project.id, ...filters })),
    loadGames(project.id),
  ]);
  const canCreate = can(project.role, 'tournaments:write');
  const base = `/dashboard/${project.slug}/tournaments`;
  const newHref = canCreate ? `${base}/new` : undefined;
  const filtered = filters.search || filters.game || filters.status;
  const hasTournaments = Object.values(list.counts).some((count) => count > 0);

  function pageHref(page: number) {
    const { page: _page, ...rest } = filters;
    const kept = Object.entries({ ...rest, page: String(page) }).filter(([, value]) => value);
    return `${base}?${new URLSearchParams(Object.fromEntries(kept))}`;
  }

  return (
    <>
      <PageHeader
        title="Tournaments"
        actions={
          canCreate ? (
            <>
              <ImportButton project={{ id: project.id, slug: project.slug }} />
              {hasTournaments ? <NewTournamentLink projectSlug={project.slug} /> : null}
            </>
          ) : null
        }
      />
      {hasTournaments ? (
        <TournamentFilters counts={list.counts} games={games} newHref={newHref}>
          <TournamentTable
            projectSlug={project.slug}
            rows={list.items}
            empty={
              <EmptyState
                title="No matching tournaments"
                action={filtered ? <ButtonLink href={base}>Clear filters</ButtonLink> : undefined}
              >
                Search matches the beginning of each word in the name.
              </EmptyState>
            }
          />
          <Pagination page={list.page} limit={list.limit} total={list.total} href={pageHref} noun="tournaments" />
        </TournamentFilters>
      ) : (
        <NoTournaments projectSlug={project.slug} canCreate={canCreate} />
      )}
    </>
  );
}
