'use client';

import {
  closestCenter,
  DndContext,
  type DragEndEvent,
  KeyboardSensor,
  PointerSensor,
  useSensor,
  useSensors,
} from '@dnd-kit/core';
import {
  arrayMove,
  SortableContext,
  sortableKeyboardCoordinates,
  verticalListSortingStrategy,
} from '@dnd-kit/sortable';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { openingOrders } from '@/components/brackets/tables/tie-orders';
import { TieRow } from '@/components/brackets/tables/tie-row';
import type { StandingsTable } from '@/components/brackets/types';
import { Button } from '@/components/ui/form/button';
import { Field } from '@/components/ui/form/field';
import { Textarea } from '@/components/ui/form/input';
import { Dialog } from '@/components/ui/overlay/dialog';
import { ErrorNote } from '@/components/ui/page/error-state';
import { useTRPC } from '@/trpc/client';
import { readError } from '@/trpc/errors';

type Props = {
  tournamentId: string;
  stageId: string;
  group: StandingsTable['groups'][number];
  onClose: () => void;
};

/** Orders the tied participants of a group, by dragging or with buttons, and asks for the reason. */
export function TieDialog({ tournamentId, stageId, group, onClose }: Props) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [orders, setOrders] = useState(() => openingOrders(group));
  const [reason, setReason] = useState(group.ruling?.reason ?? '');
  const [isMissing, setIsMissing] = useState(false);
  const dragId = useId();
  const onSuccess = async () => {
    await queryClient.invalidateQueries({ queryKey: trpc.matches.pathKey() });
    onClose();
  };
  const save = useMutation(trpc.matches.ruleTie.mutationOptions({ onSuccess }));
  const withdraw = useMutation(trpc.matches.withdrawRuling.mutationOptions({ onSuccess }));
  const error = save.error ?? withdraw.error;
  const refusal = error ? readError(error) : null;
  const isBusy = save.isPending || withdraw.isPending;
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 4 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  );
  const names = new Map(group.rows.map(({ participantId, name }) => [participantId, name]));
  const where = { tournamentId, stageId, group: group.number };

  function move(at: number, from: number, to: number) {
    setOrders((all) =>
      all.map((order, index) => (index === at && order[to] !== undefined ? arrayMove(order, from, to) : order)),
    );
  }

  function onDragEnd({ active, over }: DragEndEvent) {
    const at = orders.findIndex((order) => order.includes(String(active.id)));
    const order = orders[at];
    const to = order?.indexOf(String(over?.id)) ?? -1;
    if (order && to >= 0) move(at, order.indexOf(String(active.id)), to);
  }

  function submit() {
    if (reason.trim() === '') return setIsMissing(true);
    save.mutate({ ...where, order: orders.flat(), reason: reason.trim() });
  }

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && !isBusy && onClose()}
      title="Decide the tie"
      description="These participants are equal on every tie-break. Put the best first. Everyone can read the reason."
      footer={
        <>
          {group.ruling ? (
            <Button disabled={isBusy} loading={withdraw.isPending} onClick={() => withdraw.mutate(where)}>
              Take it back
            </Button>
          ) : null}
          {orders.length > 0 ? (
            <Button variant="primary" disabled={isBusy} loading={save.isPending} onClick={submit}>
              Save the order
            </Button>
          ) : null}
        </>
      }
    >
      <div className="grid grid-cols-1 gap-5">
        {refusal ? <ErrorNote message={refusal.message} reason={refusal.reason} requestId={refusal.requestId} /> : null}
        {orders.length === 0 ? <p>Nobody in this table is tied any more, so the decision has no effect.</p> : null}
        <DndContext id={dragId} sensors={sensors} collisionDetection={closestCenter} onDragEnd={onDragEnd}>
          {orders.map((order, at) => (
            <SortableContext
              key={at === 0 ? 'first' : order.toSorted().join()}
              items={order}
              strategy={verticalListSortingStrategy}
            >
              <ol
                className="grid grid-cols-1 gap-1.5"
                aria-label={orders.length > 1 ? `Tie ${at + 1}` : 'Tied participants'}
              >
                {order.map((id, index) => (
                  <TieRow
                    key={id}
                    id={id}
                    name={names.get(id) ?? ''}
                    place={index + 1}
                    count={order.length}
                    onMove={(to) => move(at, index, to)}
                  />
                ))}
              </ol>
            </SortableContext>
          ))}
        </DndContext>
        {orders.length > 0 ? (
          <Field label="Reason" required error={isMissing && reason.trim() === '' ? 'Say why.' : undefined}>
            <Textarea
              rows={3}
              maxLength={500}
              value={reason}
              placeholder="Ana won the tie-break game"
              onChange={(event) => setReason(event.target.value)}
            />
          </Field>
        ) : null}
      </div>
    </Dialog>
  );
}
