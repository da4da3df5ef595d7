import type { Metadata } from 'next';
import { loadProject } from '@/app/dashboard/load-project';
import { RoleNotice } from '@/components/dashboard/role-notice';
import { TournamentForm } from '@/components/organizer/form/tournament-form';
import { isAtLeast } from '@/components/projects/roles';
import { PageHeader } from '@/components/ui/page-header';
import { api } from '@/trpc/server';

export const metadata: Metadata = { title: 'New tournament' };

export default async function Page({ params }: { params: Promise<{ project: string }> }) {
  const { viewer, project } = await loadProject((await params).project);
  if (!isAtLeast(project.role, 'ORGANIZER')) {
    return <RoleNotice title="New tournament" role={project.role} needs="ORGANIZER" what="create tournaments" />;
  }
  const games = await (await api()).tournaments.games();
  return (
    <>
      <PageHeader
        title="New tournament"
        back={{ href: `/dashboard/${project.slug}/tournaments`, label: 'Tournaments' }}
        description="Name, game, start and number of entrants are enough; the rest has sensible settings. You can change it until the start."
      />
      <TournamentForm project={{ id: project.id, slug: project.slug }} games={games} zone={viewer.timezone} />
    </>
  );
}
