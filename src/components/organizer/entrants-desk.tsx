'use client';

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { UserCheck } from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import { QueryError } from '@/components/dashboard/query-error';
import { BulkBar } from '@/components/organizer/bulk-bar';
import { EntrantSheet } from '@/components/organizer/entrant-sheet';
import { EntrantState } from '@/components/organizer/entrant-state';
import {
  type Counts,
  type Detail,
  type Entrant,
  entrantsInput,
  type View,
  views,
} from '@/components/organizer/queries';
import { useBulkCheckIn } from '@/components/organizer/use-bulk-check-in';
import { Button } from '@/components/ui/button';
import { DateTime } from '@/components/ui/date-time';
import { EmptyState } from '@/components/ui/empty-state';
import { Pagination } from '@/components/ui/pagination';
import { SearchInput } from '@/components/ui/search-input';
import { useShortcut } from '@/components/ui/shortcuts';
import { SkeletonTable } from '@/components/ui/skeleton';
import { type Column, Table } from '@/components/ui/table';
import { toastDone, toastError } from '@/components/ui/toaster';
import { useTRPC } from '@/trpc/client';

const manager: View[] = ['approved', 'missing', 'checkedIn', 'pending', 'waitlisted', 'rejected', 'cancelled', 'all'];
/** Offered only while someone stands there. */
const rare = new Set<View>(['pending', 'waitlisted', 'rejected', 'cancelled']);

function ViewChips({ view, counts, onView }: { view: View; counts: Counts; onView: (view: View) => void }) {
  const shown = manager.filter((each) => !rare.has(each) || each === view || views[each].count(counts) > 0);
  return (
    <fieldset className="flex min-w-0 gap-1 overflow-x-auto pb-1 [scrollbar-width:none] max-sm:-mx-4 max-sm:px-4">
      <legend className="sr-only">Which entrants</legend>
      {shown.map((each) => (
        <button
          key={each}
          type="button"
          aria-pressed={each === view}
          onClick={() => onView(each)}
          className="flex h-9 shrink-0 items-center gap-2 rounded border border-transparent px-3 font-medium text-muted hover:bg-hover hover:text-ink aria-pressed:border-line-strong aria-pressed:bg-surface aria-pressed:text-ink"
        >
          {views[each].label}
          <span className="figure text-muted">{views[each].count(counts)}</span>
        </button>
      ))}
    </fieldset>
  );
}

/** The participants' desk: who is in, who is not ready, and one key to make them so. */
export function EntrantsDesk({
  tournament,
  counts,
  mayCheckIn,
  firstView,
  onChanged,
}: {
  tournament: Detail;
  /** Absent for those who see approved entrants alone. */
  counts?: Counts;
  mayCheckIn: boolean;
  firstView: View;
  onChanged: () => void;
}) {
  const trpc = useTRPC();
  const [view, setView] = useState<View>(firstView);
  const [search, setSearch] = useState('');
  const [page, setPage] = useState(1);
  const [selected, setSelected] = useState<ReadonlyMap<string, Entrant>>(new Map());
  const [openId, setOpenId] = useState<string | null>(null);
  const sought = useDeferredValue(search.trim());
  const list = useQuery({
    ...trpc.participants.list.queryOptions(entrantsInput(tournament.id, view, page, sought)),
    placeholderData: keepPreviousData,
  });
  const items = list.data?.items ?? [];
  const open = items.find(({ id }) => id === openId) ?? null;
  const beforeStart = tournament.status === 'PUBLISHED';
  const canCheckIn = (entrant: Entrant) =>
    mayCheckIn && beforeStart && entrant.registrationStatus === 'approved' && entrant.status === 'registered';

  const bulk = useBulkCheckIn(tournament.id, (checkedIn) => {
    const next = new Map(selected);
    for (const { id } of checkedIn) next.delete(id);
    setSelected(next);
    onChanged();
  });
  const ready = [...selected.values()].filter(canCheckIn);
  const busy = bulk.state?.running ?? false;

  async function checkIn(entrant: Entrant) {
    const { refused } = await bulk.run([entrant]);
    bulk.clear();
    const [refusal] = refused;
    if (refusal) toastError(new Error(refusal.message), `${entrant.name}: ${refusal.message}`);
    else toastDone(`${entrant.name} is checked in`);
  }

  async function checkInSelected() {
    const { checkedIn, refused } = await bulk.run(ready);
    if (refused.length > 0) return;
    bulk.clear();
    toastDone(checkedIn.length === 1 ? '1 entrant is checked in' : `${checkedIn.length} entrants are checked in`);
  }

  useShortcut('c', 'Check in who is selected', () => {
    if (ready.length > 0 && !busy) void checkInSelected();
  });
  useShortcut('m', 'Show who is not checked in', () => counts && change('missing'));

  /** Rows of other pages stay selected. */
  function select(ids: ReadonlySet<string>) {
    const known = [...selected.values(), ...items];
    setSelected(new Map(known.filter(({ id }) => ids.has(id)).map((entrant) => [entrant.id, entrant])));
  }

  function change(next: View) {
    setView(next);
    setPage(1);
  }

  const columns: Column<Entrant>[] = [
    {
      key: 'name',
      header: tournament.teamSize === 1 ? 'Player' : 'Team',
      phone: 'title',
      cell: (entrant) => (
        <a
          href={`#${entrant.id}`}
          onClick={(event) => {
            event.preventDefault();
            setOpenId(entrant.id);
          }}
          className="inline-block max-w-72 truncate align-middle font-medium hover:underline hover:underline-offset-4"
          dir="auto"
        >
          {entrant.name}
        </a>
      ),
    },
    { key: 'state', header: 'State', cell: (entrant) => <EntrantState entrant={entrant} /> },
    ...(counts
      ? [
          {
            key: 'contact',
            header: 'E-mail',
            phone: 'hide' as const,
            cell: (entrant: Entrant) => (
              <span className="inline-block max-w-64 truncate align-middle">{entrant.contact?.email}</span>
            ),
          },
          {
            key: 'registered',
            header: 'Registered',
            phone: 'hide' as const,
            className: 'whitespace-nowrap',
            cell: (entrant: Entrant) =>
              entrant.registeredAt ? <DateTime value={entrant.registeredAt} style="short" /> : null,
          },
        ]
      : []),
    {
      key: 'actions',
      header: <span className="sr-only">Actions</span>,
      align: 'end',
      phone: 'end',
      className: 'sm:w-28',
      cell: (entrant) =>
        canCheckIn(entrant) ? (
          <Button
            size="sm"
            className="h-7 max-sm:h-9"
            aria-label={`Check in ${entrant.name}`}
            disabled={busy}
            onClick={() => void checkIn(entrant)}
          >
            Check in
          </Button>
        ) : null,
    },
  ];

  const nobody = sought ? (
    <p className="rounded border px-5 py-8 text-muted">
      Nobody here has “{sought}” in their name. {view === 'all' ? '' : 'Look under All, or '}
      <button type="button" className="text-accent underline underline-offset-4" onClick={() => setSearch('')}>
        empty the search
      </button>
      .
    </p>
  ) : view === 'approved' || view === 'all' ? (
    <EmptyState title="Nobody is in yet">
      {tournament.status === 'DRAFT'
        ? 'Players can register once you publish.'
        : tournament.registrationOpen
          ? 'Registration is open. Share the address of the public page.'
          : 'Registration is not open.'}
    </EmptyState>
  ) : (
    <p className="rounded border px-5 py-8 text-muted">{views[view].none}</p>
  );

  return (
    <section aria-labelledby="entrants" className="grid grid-cols-1 gap-3">
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <h2 id="entrants" className="display text-xl">
          Entrants
        </h2>
        <SearchInput
          label="Search entrants"
          className="w-full sm:w-64"
          value={search}
          onSearch={(text) => {
            setSearch(text);
            setPage(1);
          }}
        />
      </div>
      {counts ? <ViewChips view={view} counts={counts} onView={change} /> : null}
      {list.isPending ? (
        <SkeletonTable label="Loading entrants" />
      ) : list.isError ? (
        <QueryError title="The entrants could not be read" query={list} />
      ) : (
        <div className={list.isPlaceholderData ? 'opacity-60' : undefined}>
          <Table
            caption="Entrants"
            rows={items}
            columns={columns}
            rowKey={({ id }) => id}
            rowLabel={({ name }) => name}
            empty={nobody}
            selection={mayCheckIn && beforeStart ? { selected: new Set(selected.keys()), onChange: select } : undefined}
          />
          <Pagination
            page={list.data.page}
            limit={list.data.limit}
            total={list.data.total}
            onPage={setPage}
            noun="entrants"
          />
        </div>
      )}
      <BulkBar
        selected={selected.size}
        ready={ready.length}
        bulk={bulk.state}
        onCheckIn={() => void checkInSelected()}
        onStop={bulk.stop}
        onClear={() => {
          setSelected(new Map());
          bulk.clear();
        }}
        icon={<UserCheck aria-hidden />}
      />
      <EntrantSheet
        entrant={open}
        tournament={tournament}
        onClose={() => setOpenId(null)}
        onCheckIn={open && canCheckIn(open) ? (entrant) => void checkIn(entrant) : undefined}
      />
    </section>
  );
}
