'use client';

import { ArrowDown, ArrowUp } from 'lucide-react';
import { ParticipantRow } from '@/components/tournaments/desk/grid/participant-row';
import {
  emptySelection,
  type Selection,
  selectRange,
  toggle,
  toggleAll,
} from '@/components/tournaments/desk/grid/selection';
import { useHydrated, useNarrowScreen } from '@/components/tournaments/desk/grid/use-narrow-screen';
import { useStableCallback } from '@/components/tournaments/desk/grid/use-stable-callback';
import { useVirtualGrid } from '@/components/tournaments/desk/grid/use-virtual-grid';
import { nextSort, type Sort, type SortKey } from '@/components/tournaments/desk/grid/views';
import type { GuestAction } from '@/components/tournaments/desk/guests/guest-actions';
import type { DeskAction, DeskRow } from '@/components/tournaments/desk/queries';
import { cn } from '@/components/ui/cn';
import { Checkbox } from '@/components/ui/form/choices';

const rowHeight = 36;
const listRowHeight = 72;

/** Column widths from 1024 px on; below that, rows use their own layout. The drawer shows the columns left out. */
const layout = (teams: boolean) =>
  teams
    ? 'lg:grid-cols-[2.75rem_minmax(0,1fr)_11rem_4rem_9.5rem] xl:grid-cols-[2.75rem_minmax(0,1fr)_11rem_4rem_4.5rem_8rem_9.5rem]'
    : 'lg:grid-cols-[2.75rem_minmax(0,1fr)_11rem_4rem_9.5rem] xl:grid-cols-[2.75rem_minmax(0,1fr)_11rem_4rem_8rem_9.5rem]';

function ColumnHeader({
  label,
  column,
  sort,
  onSort,
  wideOnly = false,
}: {
  wideOnly?: boolean;
  label: string;
  column: SortKey;
  sort: Sort;
  onSort: (sort: Sort) => void;
}) {
  const sorted = sort?.key === column ? sort : null;
  const Icon = sorted?.down ? ArrowDown : ArrowUp;
  return (
    <th
      scope="col"
      aria-sort={sorted ? (sorted.down ? 'descending' : 'ascending') : undefined}
      className={cn('min-w-0 px-3', wideOnly && 'max-xl:hidden')}
    >
      <button
        type="button"
        onClick={() => onSort(nextSort(sort, column))}
        className="label flex h-9 max-w-full items-center gap-1 whitespace-nowrap text-muted hover:text-ink"
      >
        {label}
        {sorted ? <Icon aria-hidden className="size-3.5 shrink-0" /> : null}
      </button>
    </th>
  );
}

/**
 * A virtualized grid of participants. It keeps the focus and names the active row: arrow keys move, Space selects, Shift
 * selects a range, Enter opens.
 */
export function ParticipantGrid({
  rows,
  teams,
  selection,
  onSelection,
  active,
  onActive,
  sort,
  onSort,
  changed,
  busy,
  onOpen,
  onAct,
  onGuest,
}: {
  rows: DeskRow[];
  teams: boolean;
  selection: Selection;
  onSelection: (selection: Selection) => void;
  active: string | null;
  onActive: (id: string | null) => void;
  sort: Sort;
  onSort: (sort: Sort) => void;
  /** Rows that someone else just changed. */
  changed: ReadonlySet<string>;
  busy: ReadonlySet<string>;
  onOpen: (id: string) => void;
  onAct: (action: DeskAction, row: DeskRow) => void;
  /** Null for viewers who may not edit guests. */
  onGuest: ((action: GuestAction, row: DeskRow) => void) | null;
}) {
  const isList = useNarrowScreen(64);
  const hydrated = useHydrated();
  const height = isList ? listRowHeight : rowHeight;
  const rowIds = rows.map(({ id }) => id);
  const { gridProps, bodyProps, virtualRows } = useVirtualGrid({
    ids: rowIds,
    height,
    active,
    multiSelect: true,
    onActive,
    onStep: (event, _step, to) => {
      if (event.shiftKey && to !== null) {
        onSelection(selectRange({ ...selection, anchor: selection.anchor ?? active }, to, rowIds));
      }
      return false;
    },
    onKey: (event) => {
      if (event.key === ' ' && active !== null) {
        onSelection(event.shiftKey ? selectRange(selection, active, rowIds) : toggle(selection, active));
      } else if (event.key === 'a' && event.ctrlKey) onSelection(toggleAll(selection, rowIds));
      else if (event.key === 'Enter' && active !== null) onOpen(active);
      else if (event.key === 'Escape' && selection.ids.size > 0) onSelection(emptySelection);
      else return false;
      return true;
    },
  });

  const pick = useStableCallback((id: string, range: boolean) => {
    onActive(id);
    onSelection(range ? selectRange(selection, id, rowIds) : toggle(selection, id));
  });
  const open = useStableCallback(onOpen);
  const act = useStableCallback(onAct);
  const actOnGuest = useStableCallback((action: GuestAction, row: DeskRow) => onGuest?.(action, row));
  const selectedCount = rowIds.filter((id) => selection.ids.has(id)).length;
  const columns = layout(teams);
  return (
    <table
      {...gridProps}
      aria-label="Participants"
      aria-rowcount={rows.length + 1}
      className="peer group/grid block rounded border bg-surface text-sm outline-none focus-visible:border-accent"
    >
      <thead className="z-10 block rounded-t border-b bg-surface lg:sticky lg:top-14">
        <tr aria-rowindex={1} className={cn('grid items-center max-lg:flex', columns)}>
          <th scope="col" className="pl-3 text-start">
            <span className="flex h-9 items-center">
              <Checkbox
                aria-label="Select all rows"
                checked={selectedCount === 0 ? false : selectedCount === rows.length ? true : 'indeterminate'}
                onCheckedChange={() => onSelection(toggleAll(selection, rowIds))}
              />
            </span>
          </th>
          <ColumnHeader label={teams ? 'Team' : 'Player'} column="name" sort={sort} onSort={onSort} />
          <ColumnHeader label="Status" column="state" sort={sort} onSort={onSort} />
          <ColumnHeader label="Seed" column="seed" sort={sort} onSort={onSort} />
          {teams ? <ColumnHeader label="Roster" column="roster" wideOnly sort={sort} onSort={onSort} /> : null}
          <ColumnHeader label="Since" column="since" wideOnly sort={sort} onSort={onSort} />
          <th scope="col" className="max-lg:hidden">
            <span className="sr-only">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody {...bodyProps} className={cn('relative block', !hydrated && 'max-lg:invisible')}>
        {virtualRows.map(({ index, top }) => {
          const row = rows[index];
          if (!row) return null;
          return (
            <ParticipantRow
              key={row.id}
              row={row}
              index={index}
              teams={teams}
              columns={columns}
              top={top}
              height={height}
              selected={selection.ids.has(row.id)}
              active={row.id === active}
              changed={changed.has(row.id)}
              busy={busy.has(row.id)}
              last={index === rows.length - 1}
              onPick={pick}
              onOpen={open}
              onAct={act}
              onGuest={onGuest && actOnGuest}
            />
          );
        })}
      </tbody>
    </table>
  );
}
