'use client';

import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Hourglass, TimerOff } from 'lucide-react';
import { useState } from 'react';
import { invitationsInput } from '@/components/projects/list-inputs';
import { Badge } from '@/components/ui/data/badge';
import { type Column, Table } from '@/components/ui/data/table';
import { Button } from '@/components/ui/form/button';
import { Pagination } from '@/components/ui/navigation/pagination';
import { ConfirmDialog } from '@/components/ui/overlay/dialog';
import { toastSuccess } from '@/components/ui/overlay/toaster';
import { QueryError } from '@/components/ui/page/query-error';
import { DateTime } from '@/components/ui/text/date-time';
import { roleWords } from '@/domain/projects/roles';
import { useTRPC } from '@/trpc/client';
import type { Outputs } from '@/trpc/outputs';

type Invitation = Outputs['projects']['invitations']['list']['items'][number];

/** Invitations that are still open or have expired. Renders nothing when there are none. */
export function Invitations({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [page, setPage] = useState(1);
  const [revoking, setRevoking] = useState<Invitation | null>(null);
  const list = useQuery({
    ...trpc.projects.invitations.list.queryOptions({ ...invitationsInput(projectId), page }),
    placeholderData: keepPreviousData,
  });
  const revoke = useMutation(trpc.projects.invitations.revoke.mutationOptions());
  if (list.isError) return <QueryError title="The invitations could not be loaded" query={list} />;
  if (!list.data || list.data.total === 0) return null;

  const columns: Column<Invitation>[] = [
    {
      key: 'email',
      header: 'Email',
      phone: 'title',
      cell: ({ email }) => <span className="font-medium">{email}</span>,
    },
    { key: 'role', header: 'Role', cell: ({ role }) => roleWords[role].name },
    {
      key: 'status',
      header: 'Status',
      phone: 'line',
      cell: ({ status }) =>
        status === 'expired' ? (
          <Badge tone="danger" icon={TimerOff}>
            Expired
          </Badge>
        ) : (
          <Badge icon={Hourglass}>Pending</Badge>
        ),
    },
    {
      key: 'until',
      header: 'Expires',
      phoneLabel: 'Expires',
      className: 'whitespace-nowrap',
      cell: ({ expiresAt }) => <DateTime value={expiresAt} style="short" />,
    },
    {
      key: 'actions',
      header: <span className="sr-only">Actions</span>,
      align: 'end',
      phone: 'end',
      cell: (invitation) => (
        <Button
          size="sm"
          variant="ghost"
          aria-label={`Revoke the invitation for ${invitation.email}`}
          onClick={() => setRevoking(invitation)}
        >
          Revoke
        </Button>
      ),
    },
  ];

  return (
    <section className="grid grid-cols-1 gap-3">
      <h2 className="display text-lg">Pending invitations</h2>
      <div>
        <Table caption="Pending invitations" rows={list.data.items} columns={columns} rowKey={({ id }) => id} />
        <Pagination page={page} limit={list.data.limit} total={list.data.total} onPage={setPage} noun="invitations" />
      </div>
      <ConfirmDialog
        open={revoking !== null}
        onOpenChange={(open) => !open && setRevoking(null)}
        title="Revoke this invitation?"
        confirmLabel="Revoke invitation"
        cancelLabel="Keep invitation"
        onConfirm={async () => {
          if (!revoking) return;
          await revoke.mutateAsync({ projectId, invitationId: revoking.id });
          await queryClient.invalidateQueries({ queryKey: trpc.projects.invitations.pathKey() });
          toastSuccess(`Invitation for ${revoking.email} revoked`);
        }}
      >
        <p>The link in the email to {revoking?.email} stops working. You can invite them again.</p>
      </ConfirmDialog>
    </section>
  );
}
