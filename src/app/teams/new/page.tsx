import type { Metadata } from 'next';
import { SiteShell } from '@/components/shell/site-shell';
import { CreateTeam } from '@/components/teams/create-team';
import { PageHeader } from '@/components/ui/page/page-header';
import { requireViewer } from '@/trpc/server';

export const metadata: Metadata = { title: 'Create a team', robots: { index: false } };

export default async function NewTeamPage() {
  const user = await requireViewer('/teams/new');
  return (
    <SiteShell viewer={user} width="narrow">
      <PageHeader
        back={{ href: '/teams', label: 'My teams' }}
        title="Create a team"
        description="You will be the captain. Invite your players on the next page. You can make someone else captain later."
      />
      <CreateTeam />
    </SiteShell>
  );
}
