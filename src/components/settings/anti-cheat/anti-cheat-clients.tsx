'use client';

import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { ClientState } from '@/components/settings/anti-cheat/client-state';
import { EnrollDialog } from '@/components/settings/anti-cheat/enroll-dialog';
import { allClientsInput, ownClientsRefreshMs } from '@/components/settings/anti-cheat/own-clients';
import { TokenDialog } from '@/components/settings/anti-cheat/token-dialog';
import { type Column, Table } from '@/components/ui/data/table';
import { Button } from '@/components/ui/form/button';
import { Pagination } from '@/components/ui/navigation/pagination';
import { ConfirmDialog } from '@/components/ui/overlay/dialog';
import { toastSuccess } from '@/components/ui/overlay/toaster';
import { EmptyState } from '@/components/ui/page/empty-state';
import { QueryError } from '@/components/ui/page/query-error';
import { SkeletonTable } from '@/components/ui/page/skeleton';
import { RelativeTime } from '@/components/ui/text/date-time';
import { type AntiCheatGame, antiCheatGameNames } from '@/domain/anticheat/games';
import { useTRPC } from '@/trpc/client';
import type { Outputs } from '@/trpc/outputs';

type Client = Outputs['antiCheat']['clients']['list']['items'][number];

const nameOf = (client: Client) => client.deviceName ?? 'Unnamed device';
const gameOf = ({ game }: Client) => (game ? (antiCheatGameNames[game as AntiCheatGame] ?? game) : 'Any game');

/** A new token for a client, and revoking it. */
function ClientActions({ client, onToken }: { client: Client; onToken: (token: string) => void }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const refresh = () => queryClient.invalidateQueries({ queryKey: trpc.antiCheat.clients.pathKey() });
  const rotate = useMutation(trpc.antiCheat.clients.rotate.mutationOptions());
  const revoke = useMutation(trpc.antiCheat.clients.revoke.mutationOptions());
  const name = nameOf(client);
  return (
    <div className="-mr-2 flex justify-end">
      <ConfirmDialog
        trigger={
          <Button size="sm" variant="ghost" className="px-2" aria-label={`New token for ${name}`}>
            New token
          </Button>
        }
        title={`Get a new token for ${name}?`}
        confirmLabel="Get a new token"
        cancelLabel="Keep the old one"
        danger={false}
        onConfirm={async () => onToken((await rotate.mutateAsync({ clientId: client.id })).clientToken)}
      >
        <p>The old token stops working at once. The client does not run until you enter the new one in it.</p>
      </ConfirmDialog>
      <ConfirmDialog
        trigger={
          <Button size="sm" variant="ghost" className="px-2" aria-label={`Revoke ${name}`}>
            Revoke
          </Button>
        }
        title={`Revoke ${name}?`}
        confirmLabel="Revoke"
        onConfirm={async () => {
          await revoke.mutateAsync({ clientId: client.id });
          await refresh();
          toastSuccess(`${name} revoked`);
        }}
      >
        <p>
          {client.projectName} no longer hears from this computer. You cannot check in to tournaments that require the
          client until another one of yours runs. This cannot be undone.
        </p>
      </ConfirmDialog>
    </div>
  );
}

function columnsWith(onToken: (client: Client, token: string) => void): Column<Client>[] {
  return [
    {
      key: 'device',
      header: 'Device',
      phone: 'title',
      cell: (client) => (
        <span className="block py-1">
          <span className="font-medium wrap-anywhere" dir="auto">
            {nameOf(client)}
          </span>
          <span className="block text-xs text-faint">
            <bdi>{client.projectName}</bdi>, {gameOf(client)}
          </span>
        </span>
      ),
    },
    { key: 'state', header: 'State', cell: (client) => <ClientState {...client} /> },
    {
      key: 'heard',
      header: 'Last heard',
      phoneLabel: 'Last heard',
      cell: ({ lastHeartbeatAt, lastReportAt }) => (
        <span className="block py-1">
          {lastHeartbeatAt ? <RelativeTime value={lastHeartbeatAt} /> : 'No heartbeat yet'}
          <span className="block text-xs text-faint">
            {lastReportAt ? (
              <>
                Report <RelativeTime value={lastReportAt} />
              </>
            ) : (
              'No reports'
            )}
          </span>
        </span>
      ),
    },
    {
      key: 'actions',
      header: <span className="sr-only">Actions</span>,
      align: 'end',
      phone: 'end',
      cell: (client) => <ClientActions client={client} onToken={(token) => onToken(client, token)} />,
    },
  ];
}

/** The viewer's anti-cheat clients with their state, which is read again every few seconds. */
export function AntiCheatClients({ linkedProjectId }: { linkedProjectId: string | undefined }) {
  const trpc = useTRPC();
  const [page, setPage] = useState(1);
  const [enrolling, setEnrolling] = useState(false);
  const [rotated, setRotated] = useState<{ title: string; token: string } | null>(null);
  const list = useQuery(
    trpc.antiCheat.clients.list.queryOptions(allClientsInput(page), {
      refetchInterval: ownClientsRefreshMs,
      placeholderData: keepPreviousData,
    }),
  );
  const { data } = list;
  const isFull = data !== undefined && data.total >= data.maxClients;
  const enroll = (
    <Button variant="primary" icon={<Plus aria-hidden />} disabled={isFull} onClick={() => setEnrolling(true)}>
      Enroll a client
    </Button>
  );
  const empty = (
    <EmptyState title="No anti-cheat clients yet" action={enroll}>
      Some tournaments require an anti-cheat client on the computer you play on. Enroll one to get its token.
    </EmptyState>
  );
  return (
    <div className="grid grid-cols-1 gap-4">
      {list.error ? <QueryError title="Your clients could not be loaded" query={list} /> : null}
      {data && data.total > 0 ? (
        <div className="flex flex-wrap items-center justify-between gap-4">
          <p className="max-w-prose text-muted">
            <span className="numerals">
              {data.total} of {data.maxClients}
            </span>{' '}
            clients. {isFull ? 'Revoke one to enroll another.' : 'One for each computer and project.'}
          </p>
          {enroll}
        </div>
      ) : null}
      {list.isPending ? <SkeletonTable rows={3} label="Loading anti-cheat clients" /> : null}
      {data ? (
        <div>
          <Table
            rows={data.items}
            columns={columnsWith((client, token) => setRotated({ title: `New token for ${nameOf(client)}`, token }))}
            rowKey={(client) => client.id}
            caption="Anti-cheat clients"
            empty={empty}
          />
          <Pagination page={page} limit={25} total={data.total} onPage={setPage} noun="clients" />
        </div>
      ) : null}
      {enrolling ? <EnrollDialog linkedProjectId={linkedProjectId} onClose={() => setEnrolling(false)} /> : null}
      {rotated ? <TokenDialog {...rotated} onClose={() => setRotated(null)} /> : null}
    </div>
  );
}
