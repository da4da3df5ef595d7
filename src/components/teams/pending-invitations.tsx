'use client';

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link2, TimerOff } from 'lucide-react';
import { useState } from 'react';
import { refetchIntervalMs, teamInvitationsInput } from '@/components/teams/queries';
import { Badge } from '@/components/ui/data/badge';
import { Button } from '@/components/ui/form/button';
import { Pagination } from '@/components/ui/navigation/pagination';
import { ConfirmDialog } from '@/components/ui/overlay/dialog';
import { toastSuccess } from '@/components/ui/overlay/toaster';
import { QueryError } from '@/components/ui/page/query-error';
import { SkeletonTable } from '@/components/ui/page/skeleton';
import { DateTime } from '@/components/ui/text/date-time';
import { teamRoleWords } from '@/domain/teams/roles';
import { useTRPC } from '@/trpc/client';
import type { Outputs } from '@/trpc/outputs';

type Invitation = Outputs['teams']['invitations']['list']['items'][number];

const invitedName = ({ player, email }: Invitation) => player?.name ?? email ?? 'Join link';

/** The team's pending invitations, for its captain; renders nothing without any. */
export function PendingInvitations({ teamId }: { teamId: string }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [page, setPage] = useState(1);
  const [revoking, setRevoking] = useState<Invitation | null>(null);
  const list = useQuery(
    trpc.teams.invitations.list.queryOptions(
      { ...teamInvitationsInput(teamId), page },
      { refetchInterval: refetchIntervalMs, refetchOnWindowFocus: true },
    ),
  );
  const revoke = useMutation(trpc.teams.invitations.revoke.mutationOptions());
  if (list.isPending) return <SkeletonTable rows={2} label="Loading invitations" />;
  if (list.isError) return <QueryError title="The invitations could not be loaded" query={list} />;
  if (list.data.total === 0) return null;

  return (
    <section aria-labelledby="pending-invitations" className="grid grid-cols-1 gap-3">
      <h2 id="pending-invitations" className="display text-xl">
        Pending invitations
      </h2>
      <div>
        <ul className="divide-y rounded border bg-surface">
          {list.data.items.map((invitation) => (
            <li key={invitation.id} className="flex min-h-14 items-center gap-4 py-2.5 pr-1 pl-4">
              <span className="grid min-w-0 flex-1">
                <span className="flex min-w-0 items-center gap-2 font-medium [&_svg]:size-4 [&_svg]:shrink-0">
                  {invitation.kind === 'link' ? <Link2 aria-hidden className="text-muted" /> : null}
                  <span className="truncate">
                    <bdi>{invitedName(invitation)}</bdi>
                  </span>
                </span>
                <span className="text-xs text-muted">
                  {teamRoleWords[invitation.role].name}.{' '}
                  {invitation.status === 'expired' ? (
                    <Badge tone="danger" icon={TimerOff}>
                      Expired
                    </Badge>
                  ) : (
                    <>
                      Expires <DateTime value={invitation.expiresAt} style="short" />
                    </>
                  )}
                </span>
              </span>
              <Button
                variant="ghost"
                aria-label={`Revoke ${invitation.kind === 'link' ? 'the join link' : `the invitation of ${invitedName(invitation)}`}`}
                onClick={() => setRevoking(invitation)}
              >
                Revoke
              </Button>
            </li>
          ))}
        </ul>
        <Pagination page={page} limit={list.data.limit} total={list.data.total} onPage={setPage} noun="invitations" />
      </div>
      <ConfirmDialog
        open={revoking !== null}
        onOpenChange={(open) => !open && setRevoking(null)}
        title={revoking?.kind === 'link' ? 'Revoke the join link?' : 'Revoke this invitation?'}
        confirmLabel="Revoke"
        cancelLabel="Keep"
        onConfirm={async () => {
          if (!revoking) return;
          await revoke.mutateAsync({ teamId, invitationId: revoking.id });
          await queryClient.invalidateQueries({ queryKey: trpc.teams.invitations.pathKey() });
          toastSuccess(revoking.kind === 'link' ? 'Join link revoked' : 'Invitation revoked');
        }}
      >
        <p>
          {revoking?.kind === 'link'
            ? 'The link stops working. Players who have already joined stay on the team.'
            : 'The invitation stops working. You can invite the same person again.'}
        </p>
      </ConfirmDialog>
    </section>
  );
}
