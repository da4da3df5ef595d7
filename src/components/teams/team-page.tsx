'use client';

import { Ellipsis, MailPlus, PencilLine, RotateCcw, UsersRound } from 'lucide-react';
import { useState } from 'react';
import { EditTeam } from '@/components/teams/edit-team';
import { InviteDialog } from '@/components/teams/invite-dialog';
import { PendingInvitations } from '@/components/teams/pending-invitations';
import { TeamMembers } from '@/components/teams/team-members';
import { TeamRegistrations } from '@/components/teams/team-registrations';
import { type Team, useTeam, useTeamActions } from '@/components/teams/use-team';
import { Badge } from '@/components/ui/data/badge';
import { Button } from '@/components/ui/form/button';
import { useShortcut } from '@/components/ui/navigation/use-shortcut';
import { Menu, MenuItem } from '@/components/ui/overlay/menu';
import { PageHeader } from '@/components/ui/page/page-header';
import { DateTime } from '@/components/ui/text/date-time';
import { isRestorable, restorableFor } from '@/domain/teams/restoring';
import { counted } from '@/domain/text/counted';
import { serverNow } from '@/domain/time/server-clock';

/** A team's public page, with the actions of its captain and members. */
export function TeamPage({ teamId, viewerId }: { teamId: string; viewerId: string | null }) {
  const team = useTeam(teamId);
  const [open, setOpen] = useState<'invite' | 'edit' | null>(null);
  const captain = team.members.find((member) => member.role === 'captain');
  const isCaptain = team.myRole === 'captain' && team.disbandedAt === null;
  return (
    <>
      <PageHeader
        back={viewerId ? { href: '/teams', label: 'My teams' } : undefined}
        title={team.name}
        badges={
          <>
            {team.tag ? (
              <Badge>
                <bdi>{team.tag}</bdi>
              </Badge>
            ) : null}
            {team.disbandedAt ? <Badge tone="danger">Disbanded</Badge> : null}
          </>
        }
        meta={
          <>
            <span className="numerals">{counted(team.members.length, 'member')}</span>
            {captain ? (
              <span className="min-w-0 wrap-anywhere">
                Captain <bdi>{captain.name}</bdi>
              </span>
            ) : null}
            <span>
              Created <DateTime value={team.createdAt} style="date" />
            </span>
          </>
        }
        actions={isCaptain ? <CaptainActions team={team} onOpen={setOpen} /> : null}
      />
      <div className="grid grid-cols-1 gap-10 lg:grid-cols-[minmax(0,1fr)_24rem]">
        <div className="grid grid-cols-1 content-start gap-10">
          {team.disbandedAt && team.myRole === 'captain' ? <DisbandedNotice team={team} /> : null}
          <TeamMembers team={team} viewerId={viewerId} />
          {isCaptain ? <PendingInvitations teamId={teamId} /> : null}
        </div>
        <TeamRegistrations teamId={teamId} />
      </div>
      {open === 'invite' ? <InviteDialog team={team} onClose={() => setOpen(null)} /> : null}
      {open === 'edit' ? <EditTeam team={team} onClose={() => setOpen(null)} /> : null}
    </>
  );
}

function CaptainActions({ team, onOpen }: { team: Team; onOpen: (what: 'invite' | 'edit') => void }) {
  const { disband, busy } = useTeamActions(team);
  useShortcut('i', 'Invite to the team', () => onOpen('invite'));
  return (
    <>
      <Button variant="primary" icon={<MailPlus aria-hidden />} onClick={() => onOpen('invite')}>
        Invite
      </Button>
      <Menu label="More actions" trigger={<Button size="icon" loading={busy} icon={<Ellipsis aria-hidden />} />}>
        <MenuItem icon={<PencilLine aria-hidden />} onSelect={() => onOpen('edit')}>
          Edit name and tag
        </MenuItem>
        <MenuItem icon={<UsersRound aria-hidden />} danger onSelect={() => void disband()}>
          Disband team
        </MenuItem>
      </Menu>
    </>
  );
}

function DisbandedNotice({ team }: { team: Team }) {
  const { restore, busy } = useTeamActions(team);
  const disbandedAt = Date.parse(team.disbandedAt ?? '');
  const canRestore = isRestorable(disbandedAt, serverNow());
  return (
    <div className="flex flex-wrap items-center gap-x-6 gap-y-3 rounded border border-line-strong px-4 py-3">
      <p className="flex-1 basis-60 text-muted">
        You disbanded this team. No one can join it, and it cannot register for tournaments. Existing registrations
        stay.
        {canRestore ? (
          <>
            {' '}
            You can restore it until{' '}
            <DateTime value={new Date(disbandedAt + restorableFor).toISOString()} style="short" />.
          </>
        ) : null}
      </p>
      {canRestore ? (
        <Button loading={busy} icon={<RotateCcw aria-hidden />} onClick={() => void restore()}>
          Restore team
        </Button>
      ) : null}
    </div>
  );
}
