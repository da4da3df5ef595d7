'use client';

import { useQuery } from '@tanstack/react-query';
import { CircleCheck, Plus, TriangleAlert } from 'lucide-react';
import Link from 'next/link';
import { useState } from 'react';
import { ButtonLink } from '@/components/ui/button';
import { EmptyState } from '@/components/ui/empty-state';
import { ErrorNote } from '@/components/ui/error-state';
import { Pagination } from '@/components/ui/pagination';
import { SkeletonTable } from '@/components/ui/skeleton';
import { StatusBadge } from '@/components/ui/status-badge';
import { type Column, Table } from '@/components/ui/table';
import { isTroubled, LastDelivery, type Subscription } from '@/components/webhooks/outcome';
import { useTRPC } from '@/trpc/client';
import { readError } from '@/trpc/errors';

const refreshMs = 5_000;

function columnsAt(base: string): Column<Subscription>[] {
  return [
    {
      key: 'url',
      header: 'Receiver',
      phone: 'title',
      className: 'w-2/5 max-w-96',
      cell: (row) => (
        <Link
          href={`${base}/${row.id}`}
          title={row.url}
          className="block truncate font-medium text-ink hover:underline"
        >
          {row.description ? <span dir="auto">{row.description} </span> : null}
          <span className={row.description ? 'font-mono text-xs font-normal text-muted' : 'font-mono font-normal'}>
            {row.url.replace(/^https?:\/\//, '')}
          </span>
        </Link>
      ),
    },
    {
      key: 'status',
      header: 'Status',
      phone: 'end',
      cell: (row) => <StatusBadge kind="subscription" status={row.status} />,
    },
    {
      key: 'events',
      header: 'Events',
      phoneLabel: 'Events',
      className: 'max-w-56',
      cell: (row) => (
        <span
          className="block truncate font-mono text-xs text-muted max-sm:inline max-sm:whitespace-normal"
          title={row.events.join(', ')}
        >
          {row.events.includes('*') ? 'all' : row.events.join(', ')}
        </span>
      ),
    },
    { key: 'last', header: 'Last delivery', phone: 'line', cell: (row) => <LastDelivery last={row.lastDelivery} /> },
  ];
}

/** The answer to the page's question, in one line above the table. */
function Verdict({ rows }: { rows: Subscription[] }) {
  const troubled = rows.filter(isTroubled);
  if (troubled.length > 0) {
    const one = troubled.length === 1;
    return (
      <p className="flex items-center gap-2 font-medium text-danger">
        <TriangleAlert aria-hidden className="size-5 shrink-0" />
        {one
          ? '1 receiver did not take its last event. Open it to see why.'
          : `${troubled.length} receivers did not take their last event. Open them to see why.`}
      </p>
    );
  }
  const sent = rows.some((row) => row.lastDelivery !== null);
  return (
    <p className="flex items-center gap-2 text-muted">
      <CircleCheck aria-hidden className="size-5 shrink-0 text-accent" />
      {sent ? 'Every receiver took its last event.' : 'No event has been sent yet.'}
    </p>
  );
}

/** The project's subscriptions, kept current while the page is in sight. */
export function SubscriptionList({ projectId, base }: { projectId: string; base: string }) {
  const trpc = useTRPC();
  const [page, setPage] = useState(1);
  const input = { projectId, page, limit: 25 };
  const list = useQuery(trpc.webhooks.subscriptions.listOfProject.queryOptions(input, { refetchInterval: refreshMs }));
  const error = list.error ? readError(list.error) : null;
  const create = (
    <ButtonLink variant="primary" href={`${base}/new`} icon={<Plus aria-hidden />}>
      New webhook
    </ButtonLink>
  );
  return (
    <div className="grid grid-cols-1 gap-4">
      {error ? <ErrorNote message={error.message} reason={error.reason} requestId={error.requestId} /> : null}
      {list.isPending ? <SkeletonTable rows={3} label="Loading webhooks" /> : null}
      {list.data && list.data.total > 0 ? (
        <div className="flex flex-wrap items-center justify-between gap-4">
          <Verdict rows={list.data.items} />
          {create}
        </div>
      ) : null}
      {list.data ? (
        <div>
          <Table
            rows={list.data.items}
            columns={columnsAt(base)}
            rowKey={(row) => row.id}
            caption="Webhooks"
            empty={
              <EmptyState title="No webhooks yet" action={create}>
                A webhook sends what happens in this project to a server of yours, as it happens: a registration, a
                check-in, a result. Each request is signed, and tried again when your server does not answer.
              </EmptyState>
            }
          />
          <Pagination page={page} limit={25} total={list.data.total} onPage={setPage} noun="webhooks" />
        </div>
      ) : null}
    </div>
  );
}
