'use client';

import { Check, EllipsisVertical, UserRound } from 'lucide-react';
import { memo, useState } from 'react';
import {
  actionDefinitions,
  actionNames,
  isAllowed,
  primaryAction,
} from '@/components/tournaments/desk/actions/actions';
import { rowId } from '@/components/tournaments/desk/grid/row-id';
import { type GuestAction, guestActionNames, guestActions } from '@/components/tournaments/desk/guests/guest-actions';
import { ParticipantStatus } from '@/components/tournaments/desk/participant-status';
import type { DeskAction, DeskRow } from '@/components/tournaments/desk/queries';
import { cn } from '@/components/ui/cn';
import { Button } from '@/components/ui/form/button';
import { Menu, MenuItem, MenuSeparator } from '@/components/ui/overlay/menu';
import { RelativeTime } from '@/components/ui/text/date-time';

/** One participant: a row of 36 px, or two lines with the main action on the right below 1024 px. */
export const ParticipantRow = memo(function GridRow({
  row,
  index,
  teams,
  columns,
  top,
  height,
  selected,
  active,
  changed,
  busy,
  last,
  onPick,
  onOpen,
  onAct,
  onGuest,
}: {
  row: DeskRow;
  index: number;
  teams: boolean;
  columns: string;
  top: number;
  height: number;
  selected: boolean;
  active: boolean;
  changed: boolean;
  busy: boolean;
  last: boolean;
  /** `range`: select everyone from the last selected row to this one. */
  onPick: (id: string, range: boolean) => void;
  onOpen: (id: string) => void;
  onAct: (action: DeskAction, row: DeskRow) => void;
  onGuest: ((action: GuestAction, row: DeskRow) => void) | null;
}) {
  const next = primaryAction(row);
  return (
    <tr
      id={rowId(row.id)}
      data-row=""
      data-active={active || undefined}
      data-changed={changed || undefined}
      data-selected={selected || undefined}
      aria-rowindex={index + 2}
      aria-selected={selected}
      style={{ top, height }}
      className={cn(
        'absolute inset-x-0 grid grid-cols-[2.75rem_minmax(0,1fr)_auto] items-center border-line hover:bg-hover data-changed:bg-live-soft data-selected:bg-accent-soft group-focus-visible/grid:data-active:outline-2 group-focus-visible/grid:data-active:-outline-offset-2 group-focus-visible/grid:data-active:outline-accent',
        columns,
        !last && 'border-b',
      )}
    >
      <td className="pl-3 max-lg:row-span-2">
        <span className="relative grid size-5 place-items-center lg:size-4.5">
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label={`Select ${row.name}`}
            checked={selected}
            onChange={({ nativeEvent }) => onPick(row.id, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)}
            className="peer absolute inset-0 appearance-none rounded border border-line-strong bg-raised after:absolute after:-inset-2 checked:border-transparent checked:bg-accent-fill hover:border-muted"
          />
          <Check
            aria-hidden
            className="pointer-events-none relative hidden size-3.5 stroke-3 text-on-accent peer-checked:block"
          />
        </span>
      </td>
      <td className="flex min-w-0 items-baseline gap-2 px-3 max-lg:self-end max-lg:px-0">
        <button
          type="button"
          tabIndex={-1}
          onClick={() => onOpen(row.id)}
          dir="auto"
          className="block min-w-0 truncate text-start font-medium hover:underline hover:underline-offset-4 max-lg:text-base max-lg:leading-6"
        >
          {row.name}
        </button>
        {row.userId === null ? <span className="shrink-0 text-xs text-faint">Guest</span> : null}
      </td>
      <td className="min-w-0 px-3 max-lg:col-start-2 max-lg:row-start-2 max-lg:self-start max-lg:px-0">
        <span className="flex min-w-0 items-center gap-2 max-lg:pr-2 max-[22.5rem]:*:px-1 max-[22.5rem]:[&_svg]:hidden">
          <ParticipantStatus participant={row} />
          <span className="min-w-0 truncate text-muted lg:hidden">
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
            aria-label={`${actionDefinitions[next].label} ${row.name}`}
            loading={busy}
            onClick={() => onAct(next, row)}
          >
            {actionDefinitions[next].label}
          </Button>
        ) : null}
        <RowMenu row={row} next={next} onOpen={onOpen} onAct={onAct} onGuest={onGuest} />
      </td>
    </tr>
  );
});

/** All other actions. The menu mounts when it is first opened because rows must render fast. */
function RowMenu({
  row,
  next,
  onOpen,
  onAct,
  onGuest,
}: {
  row: DeskRow;
  next: DeskAction | null;
  onOpen: (id: string) => void;
  onAct: (action: DeskAction, row: DeskRow) => void;
  onGuest: ((action: GuestAction, row: DeskRow) => void) | null;
}) {
  const [mounted, setMounted] = useState(false);
  const menuLabel = `More actions for ${row.name}`;
  const buttonProps = {
    variant: 'ghost',
    size: 'icon',
    tabIndex: -1,
    className: 'size-7 max-lg:h-11 max-lg:w-9',
    icon: <EllipsisVertical aria-hidden />,
  } as const;
  if (!mounted)
    return <Button {...buttonProps} aria-label={menuLabel} aria-haspopup="menu" onClick={() => setMounted(true)} />;
  const otherActions = actionNames.filter((action) => action !== next && isAllowed(row, action));
  return (
    <Menu label={menuLabel} defaultOpen trigger={<Button {...buttonProps} />}>
      <MenuItem icon={<UserRound aria-hidden />} shortcut="Enter" onSelect={() => onOpen(row.id)}>
        Open details
      </MenuItem>
      {row.userId === null && onGuest
        ? guestActionNames.map((action) => {
            const { label, icon: Icon } = guestActions[action];
            return (
              <MenuItem key={action} icon={<Icon aria-hidden />} onSelect={() => onGuest(action, row)}>
                {label}
              </MenuItem>
            );
          })
        : null}
      {otherActions.length > 0 ? <MenuSeparator /> : null}
      {otherActions.map((action) => {
        const { label, icon: Icon, danger, key } = actionDefinitions[action];
        return (
          <MenuItem
            key={action}
            icon={<Icon aria-hidden />}
            danger={danger}
            shortcut={key.toUpperCase()}
            onSelect={() => onAct(action, row)}
          >
            {label}
          </MenuItem>
        );
      })}
    </Menu>
  );
}

function Roster({ size }: { size: number }) {
  return (
    <span className="numerals">
      {size} <span className="sr-only">players</span>
    </span>
  );
}
