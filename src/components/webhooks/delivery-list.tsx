'use client';

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { useState } from 'react';
import { Countdown } from '@/components/ui/countdown';
import { RelativeTime } from '@/components/ui/date-time';
import { EmptyState } from '@/components/ui/empty-state';
import { ErrorNote } from '@/components/ui/error-state';
import { Pagination } from '@/components/ui/pagination';
import { Select } from '@/components/ui/select';
import { SkeletonTable } from '@/components/ui/skeleton';
import { StatusBadge, type StatusOf, statusWord } from '@/components/ui/status-badge';
import { type Column, Table } from '@/components/ui/table';
import { type Delivery, durationWords, outcomeWords } from '@/components/webhooks/outcome';
import { useTRPC } from '@/trpc/client';
import { readError } from '@/trpc/errors';

type Status = StatusOf<'delivery'>;

const refreshMs = 2_000;
const statuses: Status[] = ['pending', 'delivered', 'failed', 'expired'];
const all = 'all';

function Answer({ row }: { row: Delivery }) {
  const said = outcomeWords(row);
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2 lg:whitespace-nowrap">
      <span className={row.errorClass ? 'text-danger' : 'numerals text-muted'}>{said || '–'}</span>
      {row.status === 'pending' && row.nextAttemptAt && row.attemptCount > 0 ? (
        <span className="text-muted">
          again in <Countdown to={row.nextAttemptAt} label="Next attempt" size="sm" thresholds={[]} />
        </span>
      ) : null}
    </span>
  );
}

function columnsAt(base: string): Column<Delivery>[] {
  return [
    {
      key: 'event',
      header: 'Event',
      phone: 'title',
      cell: (row) => (
        <Link href={`${base}/${row.id}`} className="font-mono text-sm text-ink hover:underline">
          {row.eventType}
        </Link>
      ),
    },
    {
      key: 'status',
      header: 'Status',
      phone: 'end',
      cell: (row) => <StatusBadge kind="delivery" status={row.status} />,
    },
    { key: 'answer', header: 'Last answer', phone: 'line', cell: (row) => <Answer row={row} /> },
    {
      key: 'attempts',
      header: 'Attempts',
      align: 'end',
      phoneLabel: 'Attempts',
      cell: (row) => <span className="numerals">{row.attemptCount}</span>,
    },
    {
      key: 'time',
      header: 'Took',
      align: 'end',
      phoneLabel: 'Took',
      cell: (row) => <span className="numerals whitespace-nowrap text-muted">{durationWords(row.durationMs)}</span>,
    },
    {
      key: 'made',
      header: 'When',
      align: 'end',
      cell: (row) => <RelativeTime value={row.createdAt} className="whitespace-nowrap text-muted" />,
    },
  ];
}

function Nothing({ status, onAll }: { status: Status | typeof all; onAll: () => void }) {
  if (status === all) {
    return (
      <EmptyState title="Nothing sent yet">
        The next event that this webhook subscribes to appears here within a second. To see one now, create a draft
        tournament or register somebody.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      title={`No delivery is ${statusWord('delivery', status).toLowerCase()}`}
      action={
        <button type="button" onClick={onAll} className="text-accent underline underline-offset-4">
          Show all deliveries
        </button>
      }
    />
  );
}

/** What was sent to one receiver, newest first; follows what happens while the page is in sight. */
export function DeliveryList({ id, base }: { id: string; base: string }) {
  const trpc = useTRPC();
  const [page, setPage] = useState(1);
  const [status, setStatus] = useState<Status | typeof all>(all);
  const input = { id, page, limit: 25, ...(status === all ? {} : { status }) };
  const list = useQuery(
    trpc.webhooks.deliveries.list.queryOptions(input, {
      refetchInterval: refreshMs,
      placeholderData: keepPreviousData,
    }),
  );
  const error = list.error ? readError(list.error) : null;

  function show(next: string) {
    setStatus(statuses.find((each) => each === next) ?? all);
    setPage(1);
  }

  return (
    <section className="grid grid-cols-1 gap-4">
      <div className="flex flex-wrap items-center justify-between gap-4">
        <p className="text-muted">Newest first; new ones appear by themselves.</p>
        <Select
          aria-label="Which deliveries"
          className="w-44"
          value={status}
          onValueChange={show}
          options={[
            { value: all, label: 'All' },
            ...statuses.map((value) => ({ value, label: statusWord('delivery', value) })),
          ]}
        />
      </div>
      {error ? <ErrorNote message={error.message} reason={error.reason} requestId={error.requestId} /> : null}
      {list.isPending ? <SkeletonTable rows={6} label="Loading deliveries" /> : null}
      {list.data ? (
        <div>
          <Table
            rows={list.data.items}
            columns={columnsAt(base)}
            rowKey={(row) => row.id}
            caption="Deliveries"
            empty={<Nothing status={status} onAll={() => show(all)} />}
          />
          <Pagination page={page} limit={25} total={list.data.total} onPage={setPage} noun="deliveries" />
        </div>
      ) : null}
    </section>
  );
}
