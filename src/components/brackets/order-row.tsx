'use client';

import { useSortable } from '@dnd-kit/sortable';
import { ChevronDown, ChevronUp, GripVertical } from 'lucide-react';
import { cn } from '@/components/ui/cn';
import { Button } from '@/components/ui/form/button';

type Props = {
  id: string;
  name: string;
  /** From 1. */
  place: number;
  count: number;
  /** `to` from 0. */
  onMove: (to: number) => void;
};

/** A participant in an order, moved by its grip or by buttons. */
export function OrderRow({ id, name, place, count, onMove }: Props) {
  const { attributes, listeners, setNodeRef, transform, transition, isDragging } = useSortable({ id });
  return (
    <li
      ref={setNodeRef}
      style={{ transform: transform ? `translate3d(0, ${transform.y}px, 0)` : undefined, transition }}
      className={cn('flex items-center gap-2 rounded border bg-surface px-2 py-1', isDragging && 'z-10 shadow')}
    >
      <button
        type="button"
        {...attributes}
        {...listeners}
        aria-label={`Move ${name}`}
        className="grid size-9 shrink-0 cursor-grab touch-none place-items-center rounded text-muted hover:bg-hover max-sm:size-11"
      >
        <GripVertical aria-hidden className="size-4" />
      </button>
      <span className="figure w-6 shrink-0 text-end">{place}</span>
      <span className="min-w-0 flex-1 truncate font-medium">
        <bdi>{name}</bdi>
      </span>
      <Button
        variant="ghost"
        size="icon"
        aria-label={`Move ${name} up`}
        disabled={place === 1}
        onClick={() => onMove(place - 2)}
        icon={<ChevronUp aria-hidden />}
      />
      <Button
        variant="ghost"
        size="icon"
        aria-label={`Move ${name} down`}
        disabled={place === count}
        onClick={() => onMove(place)}
        icon={<ChevronDown aria-hidden />}
      />
    </li>
  );
}
