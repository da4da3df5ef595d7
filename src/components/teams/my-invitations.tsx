'use client';

import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import Link from 'next/link';
import { useState } from 'react';
import { myInvitationsInput, refetchIntervalMs } from '@/components/teams/queries';
import { TeamName } from '@/components/teams/team-name';
import { Avatar } from '@/components/ui/data/avatar';
import { Button } from '@/components/ui/form/button';
import { Pagination } from '@/components/ui/navigation/pagination';
import { ConfirmDialog } from '@/components/ui/overlay/dialog';
import { toastError, toastSuccess } from '@/components/ui/overlay/toaster';
import { DateTime } from '@/components/ui/text/date-time';
import { useTRPC } from '@/trpc/client';
import type { Outputs } from '@/trpc/outputs';

type ReceivedInvitation = Outputs['teams']['invitations']['mine']['items'][number];

/** The viewer's team invitations, each to accept or decline; renders nothing without any. */
export function MyInvitations() {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [page, setPage] = useState(1);
  const [declining, setDeclining] = useState<ReceivedInvitation | null>(null);
  const options = { refetchInterval: refetchIntervalMs, refetchOnWindowFocus: true, placeholderData: keepPreviousData };
  const { data } = useQuery(trpc.teams.invitations.mine.queryOptions({ ...myInvitationsInput, page }, options));
  const invalidateTeams = () => queryClient.invalidateQueries({ queryKey: trpc.teams.pathKey() });
  const accept = useMutation(
    trpc.teams.invitations.accept.mutationOptions({
      onSuccess: ({ name, role }) => toastSuccess(`You joined ${name}`, `Your role is ${role}.`),
      onError: (error) => toastError(error, 'Could not join the team'),
      onSettled: invalidateTeams,
    }),
  );
  const decline = useMutation(trpc.teams.invitations.decline.mutationOptions());
  // The last one of a page was answered.
  if (data?.items.length === 0 && page > 1) setPage(1);
  if (!data || data.items.length === 0) return null;

  return (
    <section aria-labelledby="my-invitations" className="grid grid-cols-1 gap-3">
      <h2 id="my-invitations" className="display text-xl">
        {data.total === 1 ? 'Team invitation' : `${data.total} team invitations`}
      </h2>
      <div>
        <ul className="divide-y rounded border border-line-strong bg-surface">
          {data.items.map((invitation) => {
            const { id, team, role, invitedBy, expiresAt } = invitation;
            return (
              <li key={id} className="flex flex-wrap items-center gap-x-4 gap-y-3 px-4 py-3.5 sm:px-5">
                <Avatar square size="lg" name={team.name} />
                <div className="grid min-w-0 flex-1 basis-44">
                  <Link
                    href={`/teams/${team.id}`}
                    className="display truncate text-lg underline-offset-4 hover:underline"
                  >
                    <TeamName name={team.name} tag={team.tag} />
                  </Link>
                  <p className="text-muted">
                    <bdi>{invitedBy}</bdi> invited you to join as a {role}. Respond by{' '}
                    <DateTime value={expiresAt} style="short" />.
                  </p>
                </div>
                <span className="flex gap-2 max-sm:w-full">
                  <Button
                    variant="primary"
                    className="max-sm:flex-1"
                    aria-label={`Join ${team.name}`}
                    loading={accept.isPending && accept.variables.invitationId === id}
                    onClick={() => accept.mutate({ invitationId: id })}
                  >
                    Join
                  </Button>
                  <Button
                    className="max-sm:flex-1"
                    aria-label={`Decline the invitation from ${team.name}`}
                    onClick={() => setDeclining(invitation)}
                  >
                    Decline
                  </Button>
                </span>
              </li>
            );
          })}
        </ul>
        <Pagination page={page} limit={data.limit} total={data.total} onPage={setPage} noun="invitations" />
      </div>
      <ConfirmDialog
        open={declining !== null}
        onOpenChange={(open) => !open && setDeclining(null)}
        title={<>Decline the invitation from {declining ? <bdi>{declining.team.name}</bdi> : null}?</>}
        confirmLabel="Decline"
        cancelLabel="Decide later"
        onConfirm={async () => {
          if (!declining) return;
          await decline.mutateAsync({ invitationId: declining.id });
          await invalidateTeams();
          toastSuccess('Invitation declined');
        }}
      >
        <p>If you change your mind later, you need a new invitation.</p>
      </ConfirmDialog>
    </section>
  );
}
