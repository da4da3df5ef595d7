'use client';

import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { RotateCcw } from 'lucide-react';
import Link from 'next/link';
import { useMemo, useState } from 'react';
import { StatusBadge } from '@/components/ui/data/status-badge';
import { type Column, Table } from '@/components/ui/data/table';
import { Button } from '@/components/ui/form/button';
import { Pagination } from '@/components/ui/navigation/pagination';
import { useQueryParams } from '@/components/ui/navigation/use-query-params';
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
import { describeOutcome } from '@/components/webhooks/failures';
import { formatDuration } from '@/components/webhooks/format';
import { deliveriesPerPage } from '@/components/webhooks/page-sizes';
import type { Delivery } from '@/components/webhooks/types';
import { counted } from '@/domain/text/counted';
import { serverNow } from '@/domain/time/server-clock';
import { useTRPC } from '@/trpc/client';
import { readError } from '@/trpc/errors';

const refreshMs = 2_000;

const heldReasons = { paused: 'while paused', disabled: 'while disabled', breaker: 'by the circuit breaker' } as const;

function LastResponse({ row }: { row: Delivery }) {
  const outcome = describeOutcome(row);
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2 lg:whitespace-nowrap">
      {outcome || row.status !== 'held' ? (
        <span className={row.errorClass ? 'text-danger' : 'numerals text-muted'}>{outcome || '–'}</span>
      ) : null}
      {row.status === 'held' && row.heldReason ? (
        <span className="text-muted">held {heldReasons[row.heldReason]}</span>
      ) : null}
      {row.status === 'pending' && row.nextAttemptAt && row.attemptCount > 0 ? (
        <span className="text-muted">
          retry in <Countdown to={row.nextAttemptAt} label="Next attempt" size="sm" thresholds={[]} />
        </span>
      ) : null}
    </span>
  );
}

/** Resends the delivery of a row. */
function ResendButton({ row }: { row: Delivery }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const replay = useMutation(
    trpc.webhooks.subscriptions.replay.mutationOptions({
      onError: (error) => toastError(error),
      onSuccess: () => {
        toastSuccess('Resending', row.eventType);
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
      aria-label={`Resend ${row.eventType}`}
      loading={replay.isPending}
      onClick={() => replay.mutate({ id: row.subscriptionId, deliveryId: row.id })}
    >
      <span className="sm:max-xl:sr-only">Resend</span>
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
    { key: 'response', header: 'Last response', phone: 'line', cell: (row) => <LastResponse row={row} /> },
    {
      key: 'attempts',
      header: 'Attempts',
      align: 'end',
      className: 'sm:max-xl:hidden',
      phoneLabel: 'Attempts',
      cell: (row) => (
        <span className="numerals whitespace-nowrap">
          {row.attemptCount}
          {row.replayCount > 0 ? <span className="text-muted"> · resent</span> : null}
        </span>
      ),
    },
    {
      key: 'duration',
      header: 'Duration',
      align: 'end',
      className: 'sm:max-xl:hidden',
      phoneLabel: 'Duration',
      cell: (row) => <span className="numerals whitespace-nowrap text-muted">{formatDuration(row.durationMs)}</span>,
    },
    {
      key: 'created',
      header: 'Created',
      align: 'end',
      cell: (row) => <RelativeTime value={row.createdAt} className="whitespace-nowrap text-muted" />,
    },
    {
      key: 'actions',
      header: <span className="sr-only">Actions</span>,
      align: 'end',
      cell: (row) => <ResendButton row={row} />,
    },
  ];
}

/** Actions for the selected deliveries. */
function SelectionBar({ id, selected, onClear }: { id: string; selected: ReadonlySet<string>; onClear: () => void }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const replay = useMutation(
    trpc.webhooks.subscriptions.replayMany.mutationOptions({
      onError: (error) => toastError(error),
      onSuccess: ({ done, total }) => {
        const skipped = total - done;
        toastSuccess(
          `Resending ${counted(done, 'delivery', 'deliveries')}`,
          skipped > 0 ? `Skipped ${skipped} that were already being sent.` : undefined,
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
        Clear selection
      </Button>
      <Button
        variant="primary"
        icon={<RotateCcw aria-hidden />}
        loading={replay.isPending}
        disabled={selected.size > 500}
        onClick={() => replay.mutate({ id, deliveryIds: [...selected] })}
      >
        Resend selected
      </Button>
    </div>
  );
}

/** The deliveries of a subscription, newest first. Updates live, but not while someone selects rows or pages back. */
export function DeliveryList({ id, base }: { id: string; base: string }) {
  const trpc = useTRPC();
  const [params, setParams] = useQueryParams();
  const query = params.toString();
  const filter = parseDeliveryFilter(params);
  const [page, setPage] = useState(1);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  // While someone pages back or selects, newer deliveries are left out, so that no row moves.
  const [frozenAt, setFrozenAt] = useState<string | null>(null);
  // Computed once per filter: `from` must not move with the clock.
  const filterInput = useMemo(() => toListInput(parseDeliveryFilter(new URLSearchParams(query)), serverNow()), [query]);
  const input = { id, page, limit: deliveriesPerPage, ...filterInput, ...(frozenAt ? { to: frozenAt } : {}) };
  const list = useQuery(
    trpc.webhooks.deliveries.list.queryOptions(input, {
      refetchInterval: refreshMs,
      placeholderData: keepPreviousData,
    }),
  );
  const newer = useQuery(
    trpc.webhooks.deliveries.list.queryOptions(
      { id, limit: 1, ...filterInput, from: frozenAt ?? undefined },
      { enabled: frozenAt !== null, refetchInterval: refreshMs },
    ),
  );
  const error = list.error ? readError(list.error) : null;
  const replayFilter = toReplayFilter(filter, serverNow());

  const freeze = () => setFrozenAt((before) => before ?? new Date(serverNow()).toISOString());
  function followLatest() {
    setFrozenAt(null);
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
        {replayFilter && isFiltered(filter) ? (
          <ReplayButton
            id={id}
            filter={replayFilter}
            description={describeDeliveryFilter(filter)}
            label="Resend all matching"
          />
        ) : null}
      </div>
      {error ? <ErrorNote message={error.message} reason={error.reason} requestId={error.requestId} /> : null}
      {frozenAt ? (
        <p className="flex flex-wrap items-center gap-3 text-muted" role="status">
          {newer.data && newer.data.total > 0
            ? counted(newer.data.total, 'new delivery', 'new deliveries')
            : 'Live updates are paused while you page back or select.'}
          <Button size="sm" onClick={followLatest}>
            Show latest
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
                  title="No matching deliveries"
                  action={
                    <Button onClick={() => setParams({ status: null, type: null, error: null, since: null })}>
                      Clear filters
                    </Button>
                  }
                />
              ) : (
                <EmptyState title="No deliveries yet">
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
