import type { Metadata } from 'next';
import { loadTournament } from '@/app/dashboard/[project]/tournaments/[tournament]/load-tournament';
import { loadProject } from '@/app/dashboard/load-project';
import { RoleNotice } from '@/components/projects/role-notice';
import { TournamentForm } from '@/components/tournaments/form/tournament-form';
import { tournamentHref } from '@/components/tournaments/manage/tournament-href';
import { PageHeader } from '@/components/ui/page/page-header';
import { can } from '@/domain/projects/permissions';
import { api } from '@/trpc/server';

export const metadata: Metadata = { title: 'New tournament' };

type Props = { params: Promise<{ project: string }>; searchParams: Promise<{ like?: string | string[] }> };

export default async function Page({ params, searchParams }: Props) {
  const { project: projectSlug } = await params;
  const { viewer, project } = await loadProject(projectSlug);
  if (!can(project.role, 'tournaments:write')) {
    return (
      <RoleNotice title="New tournament" role={project.role} needs="tournaments:write" what="create tournaments" />
    );
  }
  const { like: named } = await searchParams;
  const like = typeof named === 'string' ? (await loadTournament(projectSlug, named)).tournament : undefined;
  const games = await (await api()).tournaments.games();
  return (
    <>
      <PageHeader
        title={like ? 'Another like it' : 'New tournament'}
        back={
          like
            ? { href: tournamentHref(project.slug, like), label: like.name }
            : { href: `/dashboard/${project.slug}/tournaments`, label: 'Tournaments' }
        }
        description={
          like
            ? 'Everything is as it was, whole weeks later at the same times of day. Look the schedule over; entrants and banner stay behind.'
            : 'Name, game, start and number of entrants are enough; the rest has sensible settings. You can change it until the start.'
        }
      />
      <TournamentForm
        project={{ id: project.id, slug: project.slug }}
        games={games}
        zone={viewer.timezone}
        like={like}
      />
    </>
  );
}
