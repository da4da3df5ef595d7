import type { Metadata } from 'next';
import { loadTournament, type Params } from '@/app/dashboard/[project]/tournaments/[tournament]/load-tournament';
import { loadGames } from '@/app/dashboard/load-games';
import { RoleNotice } from '@/components/projects/role-notice';
import { BannerField } from '@/components/tournaments/form/banner-field';
import { TournamentForm } from '@/components/tournaments/form/tournament-form';
import { tournamentHref } from '@/components/tournaments/manage/tournament-href';
import { StatusBadge } from '@/components/ui/data/status-badge';
import { PageHeader } from '@/components/ui/page/page-header';
import { can } from '@/domain/projects/permissions';
import { api } from '@/trpc/server';

export async function generateMetadata({ params }: { params: Params }): Promise<Metadata> {
  const { project, tournament } = await params;
  return { title: `Edit ${(await loadTournament(project, tournament)).tournament.name}` };
}

export default async function Page({ params }: { params: Params }) {
  const { project: projectSlug, tournament: tournamentId } = await params;
  const { viewer, project, tournament } = await loadTournament(projectSlug, tournamentId);
  if (!can(project.role, 'tournaments:write')) {
    return <RoleNotice title={tournament.name} role={project.role} needs="tournaments:write" what="edit tournaments" />;
  }
  const call = await api();
  const [games, counts] = await Promise.all([
    loadGames(project.id),
    call.participants.counts({ tournamentId: tournament.id }),
  ]);
  const hasRegistrations = counts.pending + counts.approved + counts.waitlisted > 0;
  const started = tournament.status !== 'DRAFT' && tournament.status !== 'PUBLISHED';
  return (
    <>
      <PageHeader
        title={`Edit ${tournament.name}`}
        back={{ href: tournamentHref(project.slug, tournament), label: tournament.name }}
        badges={<StatusBadge kind="tournament" status={tournament.status} />}
        description={
          started
            ? 'You can still change texts, visibility, and the prize pool. All other settings are locked.'
            : hasRegistrations
              ? 'Players have registered, so some settings are locked. Each locked setting says why.'
              : undefined
        }
      />
      <div className="mb-8 border-b">
        <BannerField tournament={tournament} />
      </div>
      <TournamentForm
        project={{ id: project.id, slug: project.slug }}
        games={games}
        zone={viewer.timezone}
        tournament={tournament}
        hasRegistrations={hasRegistrations}
      />
    </>
  );
}
