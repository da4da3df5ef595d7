import type { Metadata } from 'next';
import { loadTournament } from '@/app/dashboard/[project]/tournaments/[tournament]/load-tournament';
import { loadGames } from '@/app/dashboard/load-games';
import { loadProject } from '@/app/dashboard/load-project';
import { RoleNotice } from '@/components/projects/role-notice';
import { TournamentForm } from '@/components/tournaments/form/tournament-form';
import { tournamentHref } from '@/components/tournaments/manage/tournament-href';
import { PageHeader } from '@/components/ui/page/page-header';
import { can } from '@/domain/projects/permissions';

export const metadata: Metadata = { title: 'New tournament' };

type Props = { params: Promise<{ project: string }>; searchParams: Promise<{ from?: string | string[] }> };

export default async function Page({ params, searchParams }: Props) {
  const { project: projectSlug } = await params;
  const { viewer, project } = await loadProject(projectSlug);
  if (!can(project.role, 'tournaments:write')) {
    return (
      <RoleNotice title="New tournament" role={project.role} needs="tournaments:write" what="create tournaments" />
    );
  }
  const { from } = await searchParams;
  const source = typeof from === 'string' ? (await loadTournament(projectSlug, from)).tournament : undefined;
  const games = await loadGames(project.id);
  return (
    <>
      <PageHeader
        title={source ? 'Duplicate tournament' : 'New tournament'}
        back={
          source
            ? { href: tournamentHref(project.slug, source), label: source.name }
            : { href: `/dashboard/${project.slug}/tournaments`, label: 'Tournaments' }
        }
        description={
          source
            ? 'All settings are copied, and the schedule moves by whole weeks. Check the dates. Participants and the banner are not copied.'
            : 'A name, game, start time, and maximum number of participants are enough. You can change the settings until the start.'
        }
      />
      <TournamentForm
        project={{ id: project.id, slug: project.slug }}
        games={games}
        zone={viewer.timezone}
        source={source}
      />
    </>
  );
}
