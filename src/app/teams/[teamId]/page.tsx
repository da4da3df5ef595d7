import type { Metadata } from 'next';
import { cache } from 'react';
import { SiteShell } from '@/components/shell/site-shell';
import { teamInvitationsInput, teamRegistrationsInput } from '@/components/teams/queries';
import { TeamPage } from '@/components/teams/team-page';
import { ViewerZone } from '@/components/ui/text/date-time';
import { api, Hydrate, orPage, prefetch, trpc, viewer } from '@/trpc/server';

type Params = { params: Promise<{ teamId: string }> };

const loadTeam = cache(async (teamId: string) => orPage((await api()).teams.read({ teamId })));

export async function generateMetadata({ params }: Params): Promise<Metadata> {
  const { name, tag } = await loadTeam((await params).teamId);
  return { title: tag ? `${name} (${tag})` : name };
}

export default async function TeamPageOf({ params }: Params) {
  const { teamId } = await params;
  const [team, user] = await Promise.all([loadTeam(teamId), viewer()]);
  await Promise.all([
    prefetch(trpc.teams.read.queryOptions({ teamId })),
    prefetch(trpc.participants.ofTeam.queryOptions(teamRegistrationsInput(teamId))),
    team.myRole === 'captain' ? prefetch(trpc.teams.invitations.list.queryOptions(teamInvitationsInput(teamId))) : null,
  ]);
  return (
    <SiteShell viewer={user}>
      <ViewerZone zone={user?.timezone ?? null}>
        <Hydrate>
          <TeamPage teamId={teamId} viewerId={user?.id ?? null} />
        </Hydrate>
      </ViewerZone>
    </SiteShell>
  );
}
