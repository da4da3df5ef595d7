'use client';

import { useDraggable, useDroppable } from '@dnd-kit/core';
import { ChevronDown, ChevronUp, GripVertical } from 'lucide-react';
import { memo, useEffect, useState } from 'react';
import { rowId } from '@/components/tournaments/desk/grid/row-id';
import { ParticipantStatus } from '@/components/tournaments/desk/participant-status';
import type { DeskRow } from '@/components/tournaments/desk/queries';
import { cn } from '@/components/ui/cn';
import { Badge } from '@/components/ui/data/badge';
import { Button } from '@/components/ui/form/button';

/** The seed as an editable number; Enter or leaving the field moves the participant there. */
function SeedInput({
  name,
  place,
  count,
  onPlace,
}: {
  name: string;
  place: number;
  count: number;
  onPlace: (place: number) => void;
}) {
  const [text, setText] = useState(String(place));
  useEffect(() => setText(String(place)), [place]);
  function commit() {
    const wanted = Number(text);
    if (Number.isInteger(wanted) && wanted >= 1 && wanted !== place) onPlace(Math.min(wanted, count));
    else setText(String(place));
  }
  return (
    <input
      aria-label={`Seed of ${name}`}
      inputMode="numeric"
      tabIndex={-1}
      value={text}
      maxLength={5}
      onChange={(event) => setText(event.target.value.replace(/\D/g, ''))}
      onFocus={(event) => event.target.select()}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === 'Escape') setText(String(place));
        if (event.key !== 'Enter' && event.key !== 'Escape') return;
        event.preventDefault();
        // Returns the focus to the grid, so that arrow keys work from here.
        event.currentTarget.closest('table')?.focus();
      }}
      className="figure h-7 w-14 rounded border border-transparent bg-transparent px-2 text-end text-base hover:border-line-strong focus:border-accent focus:bg-raised max-md:h-11"
    />
  );
}

/** The saved seed of a participant that moved. */
function SavedSeed({ place, saved }: { place: number; saved: number | null }) {
  if (saved === null || saved === place) return null;
  return <span className="numerals text-xs whitespace-nowrap text-muted">was {saved}</span>;
}

export const SeedRow = memo(function SeedRow({
  row,
  place,
  count,
  saved,
  joined,
  active,
  editable,
  dragged,
  dropEdge,
  top,
  height,
  onPlace,
}: {
  row: DeskRow;
  /** From 1. */
  place: number;
  count: number;
  saved: number | null;
  joined: boolean;
  active: boolean;
  editable: boolean;
  dragged: boolean;
  /** Where the dragged row would be inserted. */
  dropEdge: 'above' | 'below' | null;
  top: number;
  height: number;
  /** `to` from 0. */
  onPlace: (id: string, to: number) => void;
}) {
  const draggable = useDraggable({ id: row.id, disabled: !editable });
  const droppable = useDroppable({ id: row.id, disabled: !editable });
  const { onPointerDown } = draggable.listeners ?? {};
  return (
    <tr
      ref={(node) => {
        draggable.setNodeRef(node);
        droppable.setNodeRef(node);
      }}
      id={rowId(row.id)}
      data-row=""
      data-active={active || undefined}
      aria-rowindex={place}
      style={{ top, height }}
      onPointerDown={(event) => {
        if (event.target instanceof Element && event.target.closest('input, button:not([data-grip])')) return;
        if (event.pointerType === 'mouse' || (event.target instanceof Element && event.target.closest('[data-grip]'))) {
          onPointerDown?.(event);
        }
      }}
      className={cn(
        'absolute inset-x-0 flex items-center gap-2 border-b border-line px-2 last:border-b-0 hover:bg-hover group-focus-visible/grid:data-active:outline-2 group-focus-visible/grid:data-active:-outline-offset-2 group-focus-visible/grid:data-active:outline-accent',
        dragged && 'opacity-40',
        dropEdge === 'above' && 'shadow-[inset_0_2px_0_var(--accent)]',
        dropEdge === 'below' && 'shadow-[inset_0_-2px_0_var(--accent)]',
      )}
    >
      <td className="shrink-0">
        {editable ? (
          <button
            type="button"
            data-grip=""
            tabIndex={-1}
            aria-label={`Drag ${row.name}`}
            className="grid h-7 w-6 cursor-grab touch-none place-items-center rounded text-faint hover:text-ink max-md:h-11 max-md:w-9"
          >
            <GripVertical aria-hidden className="size-4" />
          </button>
        ) : null}
      </td>
      <td className="shrink-0">
        {editable ? (
          <SeedInput name={row.name} place={place} count={count} onPlace={(to) => onPlace(row.id, to - 1)} />
        ) : (
          <span className="figure block w-14 px-2 text-end text-base">{place}</span>
        )}
      </td>
      <td className="flex min-w-0 flex-1 items-center gap-3">
        <span dir="auto" className="min-w-0 truncate font-medium">
          {row.name}
        </span>
        {joined ? <Badge tone="live">New</Badge> : null}
        <SavedSeed place={place} saved={saved} />
      </td>
      <td className="shrink-0 max-md:hidden">
        <ParticipantStatus participant={row} />
      </td>
      <td className="flex shrink-0">
        {editable ? (
          <>
            <Button
              variant="ghost"
              size="icon"
              tabIndex={-1}
              className="size-7 max-md:h-11 max-md:w-9"
              aria-label={`Move ${row.name} up`}
              disabled={place === 1}
              icon={<ChevronUp aria-hidden />}
              onClick={() => onPlace(row.id, place - 2)}
            />
            <Button
              variant="ghost"
              size="icon"
              tabIndex={-1}
              className="size-7 max-md:h-11 max-md:w-9"
              aria-label={`Move ${row.name} down`}
              disabled={place === count}
              icon={<ChevronDown aria-hidden />}
              onClick={() => onPlace(row.id, place)}
            />
          </>
        ) : null}
      </td>
    </tr>
  );
});
