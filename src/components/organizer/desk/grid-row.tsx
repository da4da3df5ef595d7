'use client';

import { EllipsisVertical, UserRound } from 'lucide-react';
import { type CSSProperties, type MouseEvent, memo } from 'react';
import { actionLooks, actionNames, may, nextStep } from '@/components/organizer/desk/actions';
import { rowId } from '@/components/organizer/desk/row-id';
import { EntrantState } from '@/components/organizer/entrant-state';
import type { DeskAction, DeskRow } from '@/components/organizer/queries';
import { Button } from '@/components/ui/button';
import { Checkbox } from '@/components/ui/choices';
import { cn } from '@/components/ui/cn';
import { RelativeTime } from '@/components/ui/date-time';
import { Menu, MenuItem, MenuSeparator } from '@/components/ui/menu';

/** One entrant: a row of 36 px, or two lines with the action at the thumb on a phone. */
export const GridRow = memo(function GridRow({
  row,
  index,
  teams,
  columns,
  style,
  selected,
  active,
  changed,
  busy,
  last,
  onPick,
  onOpen,
  onAct,
}: {
  row: DeskRow;
  index: number;
  teams: boolean;
  columns: string;
  style: CSSProperties;
  selected: boolean;
  active: boolean;
  changed: boolean;
  busy: boolean;
  last: boolean;
  onPick: (row: DeskRow, event: MouseEvent) => void;
  onOpen: (id: string) => void;
  onAct: (action: DeskAction, row: DeskRow) => void;
}) {
  const next = nextStep(row);
  const others = actionNames.filter((action) => action !== next && may(row, action));
  return (
    <tr
      id={rowId(row.id)}
      data-row=""
      data-active={active || undefined}
      data-changed={changed || undefined}
      data-selected={selected || undefined}
      aria-rowindex={index + 2}
      aria-selected={selected}
      style={style}
      className={cn(
        'absolute inset-x-0 grid grid-cols-[2.75rem_minmax(0,1fr)_auto] items-center border-line hover:bg-hover data-changed:bg-live-soft data-selected:bg-accent-soft group-focus-visible/grid:data-active:outline-2 group-focus-visible/grid:data-active:-outline-offset-2 group-focus-visible/grid:data-active:outline-accent',
        columns,
        !last && 'border-b',
      )}
    >
      <td className="pl-3 max-lg:row-span-2">
        {/* The click is taken on its way down, for the Shift key that draws a range. */}
        <span
          className="flex items-center"
          onClickCapture={(event) => {
            event.preventDefault();
            event.stopPropagation();
            onPick(row, event);
          }}
        >
          <Checkbox aria-label={`Select ${row.name}`} checked={selected} onCheckedChange={() => undefined} />
        </span>
      </td>
      <td className="min-w-0 px-3 max-lg:self-end max-lg:px-0">
        <button
          type="button"
          tabIndex={-1}
          onClick={() => onOpen(row.id)}
          dir="auto"
          className="block max-w-full truncate text-start font-medium hover:underline hover:underline-offset-4 max-lg:text-base max-lg:leading-6"
        >
          {row.name}
        </button>
      </td>
      <td className="min-w-0 px-3 max-lg:col-start-2 max-lg:row-start-2 max-lg:self-start max-lg:px-0">
        <span className="flex items-center gap-2">
          <EntrantState entrant={row} />
          <span className="truncate text-muted lg:hidden">
            {row.seed === null ? null : `Seed ${row.seed}`}
            {teams && row.seed === null ? <Roster size={row.rosterSize} /> : null}
          </span>
        </span>
      </td>
      <td className="numerals px-3 text-muted max-lg:hidden">{row.seed ?? <span aria-hidden>–</span>}</td>
      {teams ? (
        <td className="px-3 text-muted max-xl:hidden">
          <Roster size={row.rosterSize} />
        </td>
      ) : null}
      <td className="truncate px-3 whitespace-nowrap text-muted max-xl:hidden">
        <RelativeTime value={row.since} />
      </td>
      <td className="flex items-center justify-end gap-1 pr-2 max-lg:col-start-3 max-lg:row-span-2 max-lg:row-start-1">
        {next ? (
          <Button
            size="sm"
            tabIndex={-1}
            className="h-7 max-lg:h-11"
            aria-label={`${actionLooks[next].word} ${row.name}`}
            loading={busy}
            onClick={() => onAct(next, row)}
          >
            {actionLooks[next].word}
          </Button>
        ) : null}
        <Menu
          label={`More for ${row.name}`}
          trigger={
            <Button
              variant="ghost"
              size="icon"
              tabIndex={-1}
              className="size-7 max-lg:h-11 max-lg:w-9"
              icon={<EllipsisVertical aria-hidden />}
            />
          }
        >
          <MenuItem icon={<UserRound aria-hidden />} shortcut="Enter" onSelect={() => onOpen(row.id)}>
            Open
          </MenuItem>
          {others.length > 0 ? <MenuSeparator /> : null}
          {others.map((action) => {
            const { word, icon: Icon, danger, key } = actionLooks[action];
            return (
              <MenuItem
                key={action}
                icon={<Icon aria-hidden />}
                danger={danger}
                shortcut={key.toUpperCase()}
                onSelect={() => onAct(action, row)}
              >
                {word}
              </MenuItem>
            );
          })}
        </Menu>
      </td>
    </tr>
  );
});

function Roster({ size }: { size: number }) {
  return (
    <span className="numerals">
      {size} <span className="sr-only">on the roster</span>
    </span>
  );
}
