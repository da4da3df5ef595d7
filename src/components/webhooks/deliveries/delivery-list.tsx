'use client';

import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { RotateCcw } from 'lucide-react';
import Link from 'next/link';
import { useMemo, useState } from 'react';
import { StatusBadge } from '@/components/ui/data/status-badge';
import { type Column, Table } from '@/components/ui/data/table';
import { Button } from '@/components/ui/form/button';
import { Pagination } from '@/components/ui/navigation/pagination';
import { toastError, toastSuccess } from '@/components/ui/overlay/toaster';
import { EmptyState } from '@/components/ui/page/empty-state';
import { ErrorNote } from '@/components/ui/page/error-state';
import { SkeletonTable } from '@/components/ui/page/skeleton';
import { Countdown } from '@/components/ui/text/countdown';
import { RelativeTime } from '@/components/ui/text/date-time';
import {
  describeDeliveryFilter,
  isFiltered,
  parseDeliveryFilter,
  toListInput,
  toReplayFilter,
} from '@/components/webhooks/deliveries/delivery-filter';
import { DeliveryToolbar } from '@/components/webhooks/deliveries/delivery-toolbar';
import { ReplayButton } from '@/components/webhooks/deliveries/replay-dialog';
import { describeOutcome, formatDuration } from '@/components/webhooks/failures';
import { deliveriesPerPage } from '@/components/webhooks/page-sizes';
import type { Delivery } from '@/components/webhooks/types';
import { useQueryParams } from '@/components/webhooks/use-query-params';
import { counted } from '@/domain/text/counted';
import { serverNow } from '@/domain/time/server-clock';
import { useTRPC } from '@/trpc/client';
import { readError } from '@/trpc/errors';

const refreshMs = 2_000;

const heldReasons = { paused: 'while paused', disabled: 'while disabled', breaker: 'by the breaker' } as const;

function LastResponse({ row }: { row: Delivery }) {
  const said = describeOutcome(row);
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2 lg:whitespace-nowrap">
      {said || row.status !== 'held' ? (
        <span className={row.errorClass ? 'text-danger' : 'numerals text-muted'}>{said || '–'}</span>
      ) : null}
      {row.status === 'held' && row.heldReason ? (
        <span className="text-muted">held {heldReasons[row.heldReason]}</span>
      ) : null}
      {row.status === 'pending' && row.nextAttemptAt && row.attemptCount > 0 ? (
        <span className="text-muted">
          again in <Countdown to={row.nextAttemptAt} label="Next attempt" size="sm" thresholds={[]} />
        </span>
      ) : null}
    </span>
  );
}

/** Sends one delivery again, from its row. */
function ResendButton({ row }: { row: Delivery }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const replay = useMutation(
    trpc.webhooks.subscriptions.replay.mutationOptions({
      onError: (error) => toastError(error),
      onSuccess: () => {
        toastSuccess('It is sent again', row.eventType);
        return queryClient.invalidateQueries({ queryKey: trpc.webhooks.pathKey() });
      },
    }),
  );
  if (row.status === 'pending' || row.status === 'held') return null;
  return (
    <Button
      size="sm"
      variant="ghost"
      icon={<RotateCcw aria-hidden />}
      aria-label={`Send ${row.eventType} again`}
      loading={replay.isPending}
      onClick={() => replay.mutate({ id: row.subscriptionId, deliveryId: row.id })}
    >
      <span className="sm:max-xl:sr-only">Send again</span>
    </Button>
  );
}

function deliveryColumns(base: string): Column<Delivery>[] {
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
    { key: 'answer', header: 'Last answer', phone: 'line', cell: (row) => <LastResponse row={row} /> },
    {
      key: 'attempts',
      header: 'Attempts',
      align: 'end',
      className: 'sm:max-xl:hidden',
      phoneLabel: 'Attempts',
      cell: (row) => (
        <span className="numerals whitespace-nowrap">
          {row.attemptCount}
          {row.replayCount > 0 ? <span className="text-muted"> · sent again</span> : null}
        </span>
      ),
    },
    {
      key: 'time',
      header: 'Took',
      align: 'end',
      className: 'sm:max-xl:hidden',
      phoneLabel: 'Took',
      cell: (row) => <span className="numerals whitespace-nowrap text-muted">{formatDuration(row.durationMs)}</span>,
    },
    {
      key: 'made',
      header: 'When',
      align: 'end',
      cell: (row) => <RelativeTime value={row.createdAt} className="whitespace-nowrap text-muted" />,
    },
    {
      key: 'again',
      header: <span className="sr-only">Send again</span>,
      align: 'end',
      cell: (row) => <ResendButton row={row} />,
    },
  ];
}

/** What is to be done with the ticked deliveries. */
function SelectionBar({ id, selected, onClear }: { id: string; selected: ReadonlySet<string>; onClear: () => void }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const replay = useMutation(
    trpc.webhooks.subscriptions.replayMany.mutationOptions({
      onError: (error) => toastError(error),
      onSuccess: ({ done, total }) => {
        const busy = total - done;
        toastSuccess(
          `${counted(done, 'delivery is', 'deliveries are')} sent again`,
          busy > 0 ? `${busy} were being sent just now and were left alone.` : undefined,
        );
        onClear();
        return queryClient.invalidateQueries({ queryKey: trpc.webhooks.pathKey() });
      },
    }),
  );
  if (selected.size === 0) return null;
  return (
    <div
      data-selection-bar=""
      className="sticky bottom-0 z-10 flex flex-wrap items-center gap-3 rounded border border-line-strong bg-raised p-3 shadow max-md:bottom-14"
    >
      <p role="status" className="mr-auto font-medium">
        {counted(selected.size, 'delivery', 'deliveries')} selected
      </p>
      <Button variant="ghost" onClick={onClear}>
        Clear
      </Button>
      <Button
        variant="primary"
        icon={<RotateCcw aria-hidden />}
        loading={replay.isPending}
        disabled={selected.size > 500}
        onClick={() => replay.mutate({ id, deliveryIds: [...selected] })}
      >
        Send selected again
      </Button>
    </div>
  );
}

/** What was sent to one receiver, newest first; follows what happens, and stands still while one looks further back. */
export function DeliveryList({ id, base }: { id: string; base: string }) {
  const trpc = useTRPC();
  const [params, setParams] = useQueryParams();
  const query = params.toString();
  const filter = parseDeliveryFilter(params);
  const [page, setPage] = useState(1);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  // While one reads on or selects, only what was there at that time is listed, so that no row moves away.
  const [upTo, setUpTo] = useState<string | null>(null);
  // The start of the time moves only when the filter changes.
  const wanted = useMemo(() => toListInput(parseDeliveryFilter(new URLSearchParams(query)), serverNow()), [query]);
  const input = { id, page, limit: deliveriesPerPage, ...wanted, ...(upTo ? { to: upTo } : {}) };
  const list = useQuery(
    trpc.webhooks.deliveries.list.queryOptions(input, {
      refetchInterval: refreshMs,
      placeholderData: keepPreviousData,
    }),
  );
  const newer = useQuery(
    trpc.webhooks.deliveries.list.queryOptions(
      { id, limit: 1, ...wanted, from: upTo ?? undefined },
      { enabled: upTo !== null, refetchInterval: refreshMs },
    ),
  );
  const error = list.error ? readError(list.error) : null;
  const again = toReplayFilter(filter, serverNow());

  const freeze = () => setUpTo((before) => before ?? new Date(serverNow()).toISOString());
  function followLatest() {
    setUpTo(null);
    setPage(1);
    setSelected(new Set());
  }

  return (
    <section className="grid grid-cols-1 gap-4" aria-label="Deliveries">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <DeliveryToolbar
          filter={filter}
          onChange={(changes) => {
            followLatest();
            setParams(changes);
          }}
        />
        {again && isFiltered(filter) ? (
          <ReplayButton
            id={id}
            filter={again}
            what={describeDeliveryFilter(filter)}
            label="Send all that match again"
          />
        ) : null}
      </div>
      {error ? <ErrorNote message={error.message} reason={error.reason} requestId={error.requestId} /> : null}
      {upTo ? (
        <p className="flex flex-wrap items-center gap-3 text-muted" role="status">
          {newer.data && newer.data.total > 0
            ? counted(newer.data.total, 'new delivery', 'new deliveries')
            : 'The list stands still while you look back or select.'}
          <Button size="sm" onClick={followLatest}>
            Show the newest
          </Button>
        </p>
      ) : null}
      {list.isPending ? <SkeletonTable rows={6} label="Loading deliveries" /> : null}
      {list.data ? (
        <div>
          <Table
            rows={list.data.items}
            columns={deliveryColumns(base)}
            rowKey={(row) => row.id}
            rowLabel={(row) => `${row.eventType}, ${row.status}`}
            caption="Deliveries"
            className="relative"
            selection={{
              selected,
              onChange: (next) => {
                freeze();
                setSelected(next);
              },
            }}
            empty={
              isFiltered(filter) ? (
                <EmptyState
                  title="No delivery matches"
                  action={
                    <Button onClick={() => setParams({ status: null, type: null, error: null, since: null })}>
                      Clear filters
                    </Button>
                  }
                />
              ) : (
                <EmptyState title="Nothing sent yet">
                  The next event that this webhook subscribes to appears here within a second. To see one now, send a
                  test.
                </EmptyState>
              )
            }
          />
          <Pagination
            page={page}
            limit={deliveriesPerPage}
            total={list.data.total}
            onPage={(next) => {
              freeze();
              setPage(next);
            }}
            noun="deliveries"
          />
        </div>
      ) : null}
      <SelectionBar id={id} selected={selected} onClear={followLatest} />
    </section>
  );
}
