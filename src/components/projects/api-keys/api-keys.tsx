'use client';

import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { KeyRound, Plus, ShieldAlert } from 'lucide-react';
import { useState } from 'react';
import { CreateKeyDialog } from '@/components/projects/api-keys/create-key-dialog';
import { apiKeysInput } from '@/components/projects/list-inputs';
import { Badge } from '@/components/ui/data/badge';
import { type Column, Table } from '@/components/ui/data/table';
import { Button, ButtonLink } from '@/components/ui/form/button';
import { Pagination } from '@/components/ui/navigation/pagination';
import { useShortcut } from '@/components/ui/navigation/use-shortcut';
import { ConfirmDialog } from '@/components/ui/overlay/dialog';
import { toastSuccess } from '@/components/ui/overlay/toaster';
import { EmptyState } from '@/components/ui/page/empty-state';
import { PageHeader } from '@/components/ui/page/page-header';
import { QueryError } from '@/components/ui/page/query-error';
import { SkeletonTable } from '@/components/ui/page/skeleton';
import { DateTime, RelativeTime } from '@/components/ui/text/date-time';
import { plans } from '@/domain/projects/plans';
import { missingCapabilities, scopes } from '@/domain/projects/scopes';
import { serverNow } from '@/domain/time/server-clock';
import { useTRPC } from '@/trpc/client';
import type { Outputs } from '@/trpc/outputs';

type Key = Outputs['projects']['apiKeys']['list']['items'][number];
type Project = Pick<Outputs['projects']['get'], 'id' | 'slug' | 'name' | 'plan' | 'capabilities' | 'requestsPerMinute'>;

function Expiry({ at }: { at: string | null }) {
  if (!at) return <span className="text-muted">Never</span>;
  if (Date.parse(at) <= serverNow()) {
    return (
      <Badge tone="danger" icon={ShieldAlert}>
        Expired
      </Badge>
    );
  }
  return <DateTime value={at} style="date" />;
}

/** The project's API keys with their scopes, last use and expiry. Creates and revokes keys. */
export function ApiKeys({ project, origin }: { project: Project; origin: string }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [page, setPage] = useState(1);
  const [creating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<Key | null>(null);
  const keys = useQuery({
    ...trpc.projects.apiKeys.list.queryOptions({ ...apiKeysInput(project.id), page }),
    placeholderData: keepPreviousData,
  });
  const revoke = useMutation(trpc.projects.apiKeys.revoke.mutationOptions());
  useShortcut('n', 'New API key', () => setCreating(true));

  const columns: Column<Key>[] = [
    {
      key: 'name',
      header: 'Name',
      phone: 'title',
      className: 'sm:min-w-44',
      cell: (key) => (
        <span className="grid py-1.5">
          <span className="font-medium" dir="auto">
            {key.name}
          </span>
          <code className="font-mono text-xs text-muted">{key.prefix}_…</code>
        </span>
      ),
    },
    {
      key: 'scopes',
      header: 'Scopes',
      phone: 'line',
      cell: (key) => (
        <span className="flex flex-wrap gap-1 py-1">
          {key.scopes.map((scope) => (
            <code key={scope} className="rounded bg-hover px-1.5 py-0.5 font-mono text-xs text-muted">
              {scope}
            </code>
          ))}
        </span>
      ),
    },
    {
      key: 'used',
      header: 'Last used',
      phoneLabel: 'Last used',
      className: 'whitespace-nowrap',
      cell: (key) =>
        key.lastUsedAt ? <RelativeTime value={key.lastUsedAt} /> : <span className="text-muted">Never</span>,
    },
    {
      key: 'expires',
      header: 'Expires',
      phoneLabel: 'Expires',
      className: 'whitespace-nowrap',
      cell: (key) => <Expiry at={key.expiresAt} />,
    },
    {
      key: 'actions',
      header: <span className="sr-only">Actions</span>,
      align: 'end',
      phone: 'end',
      cell: (key) => (
        <Button size="sm" variant="ghost" aria-label={`Revoke ${key.name}`} onClick={() => setRevoking(key)}>
          Revoke
        </Button>
      ),
    },
  ];

  const newKey = (
    <Button variant="primary" icon={<Plus aria-hidden />} onClick={() => setCreating(true)}>
      New API key
    </Button>
  );
  const missing = missingCapabilities(scopes, project.capabilities);

  return (
    <>
      <PageHeader
        title="API keys"
        description={`Let your programs read the data of ${project.name}. Each key can make ${project.requestsPerMinute.toLocaleString('en')} requests per minute.`}
        actions={
          <>
            <ButtonLink href="/docs/api" variant="ghost">
              API reference
            </ButtonLink>
            {newKey}
          </>
        }
      />
      {missing.length > 0 ? (
        <p className="mb-5 flex items-start gap-2 text-muted">
          <ShieldAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
          <span>
            The {plans[project.plan].name} plan does not include {missing.join(' or ')}. You can create keys with those
            scopes, but requests that need them fail with 403 until the plan changes.
          </span>
        </p>
      ) : null}
      {keys.isPending ? (
        <SkeletonTable label="Loading API keys" rows={4} />
      ) : keys.isError ? (
        <QueryError title="The API keys could not be loaded" query={keys} />
      ) : (
        <>
          <Table
            caption="API keys"
            rows={keys.data.items}
            columns={columns}
            rowKey={(key) => key.id}
            empty={
              <EmptyState title="No API keys yet" action={newKey}>
                An API key lets a stream overlay, a bot or your own site read tournaments without anyone signing in.
              </EmptyState>
            }
          />
          <Pagination
            page={keys.data.page}
            limit={keys.data.limit}
            total={keys.data.total}
            onPage={setPage}
            noun="keys"
          />
        </>
      )}
      <CreateKeyDialog open={creating} onOpenChange={setCreating} project={project} origin={origin} />
      <ConfirmDialog
        open={revoking !== null}
        onOpenChange={(open) => !open && setRevoking(null)}
        title={`Revoke ${revoking?.name ?? 'this key'}?`}
        confirmLabel="Revoke key"
        cancelLabel="Keep key"
        onConfirm={async () => {
          if (!revoking) return;
          await revoke.mutateAsync({ projectId: project.id, keyId: revoking.id });
          await queryClient.invalidateQueries({ queryKey: trpc.projects.apiKeys.pathKey() });
          toastSuccess(`${revoking.name} revoked`);
        }}
      >
        <p>
          Requests with <code className="font-mono text-xs text-ink">{revoking?.prefix}_…</code> will fail with 401
          within a second. Its scopes: {revoking?.scopes.join(', ')}.
        </p>
        <p className="flex items-center gap-2">
          <KeyRound aria-hidden className="size-4" />
          {revoking?.lastUsedAt ? (
            <span>
              Last used <RelativeTime value={revoking.lastUsedAt} />.
            </span>
          ) : (
            'Never used.'
          )}
        </p>
        <p>This cannot be undone.</p>
      </ConfirmDialog>
    </>
  );
}
