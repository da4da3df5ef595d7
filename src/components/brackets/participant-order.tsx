'use client';

import { closestCenter, DndContext, type DragEndEvent } from '@dnd-kit/core';
import { arrayMove, SortableContext, verticalListSortingStrategy } from '@dnd-kit/sortable';
import { useId } from 'react';
import { OrderRow } from '@/components/brackets/order-row';
import { useSortSensors } from '@/components/ui/form/use-sort-sensors';

type Props = {
  label: string;
  /** Ids of participants. */
  order: readonly string[];
  names: ReadonlyMap<string, string>;
  onChange: (order: string[]) => void;
};

/** A list of participants to put in order: by dragging, by keyboard or with buttons. */
export function ParticipantOrder({ label, order, names, onChange }: Props) {
  const dragId = useId();
  const sensors = useSortSensors();

  function move(from: number, to: number) {
    if (from >= 0 && order[to] !== undefined) onChange(arrayMove([...order], from, to));
  }

  function onDragEnd({ active, over }: DragEndEvent) {
    move(order.indexOf(String(active.id)), order.indexOf(String(over?.id)));
  }

  return (
    <DndContext id={dragId} sensors={sensors} collisionDetection={closestCenter} onDragEnd={onDragEnd}>
      <SortableContext items={[...order]} strategy={verticalListSortingStrategy}>
        <ol className="grid grid-cols-1 gap-1.5" aria-label={label}>
          {order.map((id, index) => (
            <OrderRow
              key={id}
              id={id}
              name={names.get(id) ?? ''}
              place={index + 1}
              count={order.length}
              onMove={(to) => move(index, to)}
            />
          ))}
        </ol>
      </SortableContext>
    </DndContext>
  );
}
