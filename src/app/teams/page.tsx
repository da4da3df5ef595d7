import { Plus } from 'lucide-react';
import type { Metadata } from 'next';
import { MyTabs } from '@/components/participants/my-tabs';
import { SiteShell } from '@/components/shell/site-shell';
import { MyInvitations } from '@/components/teams/my-invitations';
import { myInvitationsInput, myTeamsInput } from '@/components/teams/queries';
import { TeamList } from '@/components/teams/team-list';
import { ButtonLink } from '@/components/ui/form/button';
import { PageHeader } from '@/components/ui/page/page-header';
import { ViewerZone } from '@/components/ui/text/date-time';
import { Hydrate, prefetch, queryClient, requireViewer, trpc } from '@/trpc/server';

export const metadata: Metadata = { title: 'My teams', robots: { index: false } };

export default async function MyTeamsPage() {
  const user = await requireViewer('/teams');
  await Promise.all([
    prefetch(trpc.teams.mine.queryOptions(myTeamsInput)),
    prefetch(trpc.teams.invitations.mine.queryOptions(myInvitationsInput)),
  ]);
  // The empty list has its own button for the first team.
  const hasTeams = (queryClient().getQueryData(trpc.teams.mine.queryKey(myTeamsInput))?.total ?? 0) > 0;
  return (
    <SiteShell viewer={user}>
      <PageHeader
        title="My teams"
        description="Players who compete together. The captain registers the team with its roster filled in."
        actions={
          hasTeams ? (
            <ButtonLink href="/teams/new" variant="primary" icon={<Plus aria-hidden />}>
              Create a team
            </ButtonLink>
          ) : null
        }
        tabs={<MyTabs current="teams" />}
      />
      <ViewerZone zone={user.timezone}>
        <Hydrate>
          <div className="grid grid-cols-1 gap-8">
            <MyInvitations />
            <TeamList />
          </div>
        </Hydrate>
      </ViewerZone>
    </SiteShell>
  );
}
