'use client';

import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { type Team, type TeamMember, useTeamActions } from '@/components/teams/use-team';
import { Avatar } from '@/components/ui/data/avatar';
import { Button } from '@/components/ui/form/button';
import { Select } from '@/components/ui/form/select';
import { ConfirmDialog } from '@/components/ui/overlay/dialog';
import { toastSuccess } from '@/components/ui/overlay/toaster';
import { type TeamRole, teamRoles, teamRoleWords } from '@/domain/teams/roles';

type Confirmation = { member: TeamMember; action: 'captain' | 'remove' } | null;

const roleOptions = teamRoles.map((role) => ({
  value: role,
  label: teamRoleWords[role].name,
  hint: teamRoleWords[role].description,
}));

/** The team's members. Its captain changes roles and removes members; everyone else can leave. */
export function TeamMembers({ team, viewerId }: { team: Team; viewerId: string | null }) {
  const router = useRouter();
  const [confirmation, setConfirmation] = useState<Confirmation>(null);
  const { setRole, transferCaptaincy, remove } = useTeamActions(team);
  const isCaptain = team.myRole === 'captain' && team.disbandedAt === null;
  const leaving = confirmation?.member.userId === viewerId;

  function choose(member: TeamMember, role: TeamRole) {
    if (role === member.role) return;
    // The viewer could not undo this: only the new captain can hand the role back.
    if (role === 'captain') setConfirmation({ member, action: 'captain' });
    else void setRole(member, role);
  }

  async function onConfirm() {
    if (!confirmation) return;
    const { member, action } = confirmation;
    if (action === 'captain') return transferCaptaincy(member);
    await remove(member.userId);
    if (!leaving) {
      toastSuccess(`${member.name} was removed from the team`);
      return;
    }
    toastSuccess(`You left ${team.name}`);
    router.push('/teams');
  }

  return (
    <section aria-labelledby="members" className="grid grid-cols-1 gap-3">
      <h2 id="members" className="display text-xl">
        Members
      </h2>
      <ul className="divide-y rounded border bg-surface">
        {team.members.map((member) => {
          const isViewer = member.userId === viewerId;
          return (
            <li key={member.userId} className="flex min-h-14 flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2.5">
              <span className="flex min-w-0 flex-1 basis-40 items-center gap-3">
                <Avatar name={member.name} />
                <span className="min-w-0 truncate font-medium">
                  <bdi>{member.name}</bdi>
                  {isViewer ? <span className="font-normal text-muted"> (you)</span> : null}
                </span>
              </span>
              <span className="flex items-center gap-2 max-sm:ml-11">
                {isCaptain && !isViewer ? (
                  <>
                    <Select
                      aria-label={`Role of ${member.name}`}
                      className="w-36"
                      value={member.role}
                      onValueChange={(role) => choose(member, role as TeamRole)}
                      options={roleOptions}
                    />
                    <Button
                      variant="ghost"
                      aria-label={`Remove ${member.name}`}
                      onClick={() => setConfirmation({ member, action: 'remove' })}
                    >
                      Remove
                    </Button>
                  </>
                ) : (
                  <>
                    <span className="text-muted">{teamRoleWords[member.role].name}</span>
                    {isViewer && member.role !== 'captain' ? (
                      <Button variant="ghost" onClick={() => setConfirmation({ member, action: 'remove' })}>
                        Leave
                      </Button>
                    ) : null}
                  </>
                )}
              </span>
            </li>
          );
        })}
      </ul>
      <ConfirmDialog
        open={confirmation !== null}
        onOpenChange={(open) => !open && setConfirmation(null)}
        title={<ConfirmationTitle confirmation={confirmation} leaving={leaving} team={team.name} />}
        confirmLabel={confirmation?.action === 'captain' ? 'Make captain' : leaving ? 'Leave team' : 'Remove'}
        cancelLabel={confirmation?.action === 'captain' ? 'Cancel' : leaving ? 'Stay' : 'Cancel'}
        danger={confirmation?.action !== 'captain'}
        onConfirm={onConfirm}
      >
        {confirmation?.action === 'captain' ? (
          <p>
            <bdi>{confirmation.member.name}</bdi> will manage the team and register it for tournaments. You become a
            player, and only the new captain can make you captain again. You stay the captain of existing registrations.
          </p>
        ) : (
          <p>
            {leaving ? 'You need' : 'They need'} a new invitation to come back. Rosters of existing registrations do not
            change; ask the organizer for a substitute.
          </p>
        )}
      </ConfirmDialog>
    </section>
  );
}

function ConfirmationTitle({
  confirmation,
  leaving,
  team,
}: {
  confirmation: Confirmation;
  leaving: boolean;
  team: string;
}) {
  if (leaving) return `Leave ${team}?`;
  const name = <bdi>{confirmation?.member.name}</bdi>;
  return confirmation?.action === 'captain' ? <>Make {name} captain?</> : <>Remove {name}?</>;
}
