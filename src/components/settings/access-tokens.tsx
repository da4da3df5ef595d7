'use client';

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { NewAccessToken } from '@/components/settings/new-access-token';
import { type Column, Table } from '@/components/ui/data/table';
import { Button } from '@/components/ui/form/button';
import { Pagination } from '@/components/ui/navigation/pagination';
import { ConfirmDialog } from '@/components/ui/overlay/dialog';
import { toastSuccess } from '@/components/ui/overlay/toaster';
import { EmptyState } from '@/components/ui/page/empty-state';
import { ErrorNote } from '@/components/ui/page/error-state';
import { SkeletonTable } from '@/components/ui/page/skeleton';
import { DateTime, RelativeTime } from '@/components/ui/text/date-time';
import { useTRPC } from '@/trpc/client';
import { readError } from '@/trpc/errors';

type Token = {
  id: string;
  name: string;
  lastFour: string;
  expiresAt: string | null;
  lastUsedAt: string | null;
  createdAt: string;
};

function RevokeToken({ token }: { token: Token }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const revoke = useMutation(trpc.me.accessTokens.revoke.mutationOptions());
  return (
    <ConfirmDialog
      trigger={
        <Button size="sm" variant="ghost" aria-label={`Revoke ${token.name}`}>
          Revoke
        </Button>
      }
      title={`Revoke ${token.name}?`}
      confirmLabel="Revoke"
      onConfirm={async () => {
        await revoke.mutateAsync({ tokenId: token.id });
        await queryClient.invalidateQueries({ queryKey: trpc.me.accessTokens.pathKey() });
        toastSuccess(`${token.name} revoked`);
      }}
    >
      <p>Requests with the token ending in {token.lastFour} will be rejected. This cannot be undone.</p>
    </ConfirmDialog>
  );
}

const columns: Column<Token>[] = [
  {
    key: 'name',
    header: 'Name',
    phone: 'title',
    cell: (token) => (
      <span className="font-medium wrap-anywhere" dir="auto">
        {token.name}
      </span>
    ),
  },
  {
    key: 'token',
    header: 'Token',
    cell: (token) => <code className="font-mono text-muted whitespace-nowrap">lpat_…{token.lastFour}</code>,
  },
  {
    key: 'used',
    header: 'Last used',
    phoneLabel: 'Last used',
    cell: (token) => (token.lastUsedAt ? <RelativeTime value={token.lastUsedAt} /> : 'Never'),
  },
  {
    key: 'expires',
    header: 'Expires',
    phoneLabel: 'Expires',
    cell: (token) => (token.expiresAt ? <DateTime value={token.expiresAt} style="date" /> : 'Never'),
  },
  {
    key: 'actions',
    header: <span className="sr-only">Actions</span>,
    align: 'end',
    phone: 'end',
    cell: (token) => <RevokeToken token={token} />,
  },
];

/** The viewer's personal access tokens. */
export function AccessTokens() {
  const trpc = useTRPC();
  const [page, setPage] = useState(1);
  const [creating, setCreating] = useState(false);
  const list = useQuery(trpc.me.accessTokens.list.queryOptions({ page, limit: 25 }));
  const create = (
    <Button variant="primary" icon={<Plus aria-hidden />} onClick={() => setCreating(true)}>
      New token
    </Button>
  );
  const error = list.error ? readError(list.error) : null;
  const empty = (
    <EmptyState title="No access tokens yet" action={create}>
      An access token lets a script act as you through the API, without your password. Send it as{' '}
      <code className="font-mono">Authorization: Bearer lpat_…</code>
    </EmptyState>
  );
  return (
    <div className="grid grid-cols-1 gap-4">
      {error ? <ErrorNote message={error.message} reason={error.reason} requestId={error.requestId} /> : null}
      {list.data && list.data.total > 0 ? (
        <div className="flex flex-wrap items-center justify-between gap-4">
          <p className="max-w-prose text-muted">An access token lets a script act as you through the API.</p>
          {create}
        </div>
      ) : null}
      {list.isPending ? <SkeletonTable rows={3} label="Loading access tokens" /> : null}
      {list.data ? (
        <div>
          <Table
            rows={list.data.items}
            columns={columns}
            rowKey={(token) => token.id}
            caption="Personal access tokens"
            empty={empty}
          />
          <Pagination page={page} limit={25} total={list.data.total} onPage={setPage} noun="tokens" />
        </div>
      ) : null}
      <NewAccessToken open={creating} onOpenChange={setCreating} />
    </div>
  );
}
