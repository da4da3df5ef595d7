'use client';

import {
  DndContext,
  type DragEndEvent,
  type DragOverEvent,
  DragOverlay,
  MeasuringStrategy,
  PointerSensor,
  pointerWithin,
  useSensor,
  useSensors,
} from '@dnd-kit/core';
import { Dices, ListStart } from 'lucide-react';
import { useState } from 'react';
import { rowId } from '@/components/tournaments/desk/grid/row-id';
import { useHydrated, useNarrowScreen } from '@/components/tournaments/desk/grid/use-narrow-screen';
import { useStableCallback } from '@/components/tournaments/desk/grid/use-stable-callback';
import { useVirtualGrid } from '@/components/tournaments/desk/grid/use-virtual-grid';
import type { Tournament } from '@/components/tournaments/desk/queries';
import { SeedRow } from '@/components/tournaments/desk/seeding/seed-row';
import { UnsavedBar } from '@/components/tournaments/desk/seeding/unsaved-bar';
import { useSeeding } from '@/components/tournaments/desk/seeding/use-seeding';
import type { LoadedParticipants } from '@/components/tournaments/desk/use-participants';
import { cn } from '@/components/ui/cn';
import { Button } from '@/components/ui/form/button';
import { Kbd } from '@/components/ui/navigation/kbd';
import { EmptyState } from '@/components/ui/page/empty-state';
import { QueryError } from '@/components/ui/page/query-error';
import { SkeletonTable } from '@/components/ui/page/skeleton';

/** Virtual rows mount and unmount during a drag, so they are measured all the time. */
const measuring = { droppable: { strategy: MeasuringStrategy.Always } };
const rowHeight = 36;
const phoneRowHeight = 52;

/** Orders participants by seed: by dragging, with keys, by typing a number, or randomly. Nothing is saved until asked. */
export function SeedingView({
  tournament,
  participants,
  canWrite,
  onChanged,
}: {
  tournament: Tournament;
  participants: LoadedParticipants;
  canWrite: boolean;
  onChanged: () => void;
}) {
  const { query, complete } = participants;
  const seeding = useSeeding(tournament, participants, onChanged);
  const { order, byId, move } = seeding;
  const phone = useNarrowScreen(48);
  const hydrated = useHydrated();
  const [active, setActive] = useState<string | null>(null);
  const [dragged, setDragged] = useState<string | null>(null);
  const [over, setOver] = useState<string | null>(null);
  const sensors = useSensors(useSensor(PointerSensor, { activationConstraint: { distance: 4 } }));
  const editable = canWrite && (tournament.status === 'PUBLISHED' || tournament.status === 'DRAFT');

  const height = phone ? phoneRowHeight : rowHeight;
  const { gridProps, bodyProps, virtualRows, reveal } = useVirtualGrid({
    ids: order,
    height,
    active,
    onActive: setActive,
    onStep: (event, step) => {
      if (!event.altKey || active === null) return false;
      place(active, order.indexOf(active) + step);
      return true;
    },
    onKey: (event) => {
      if (/^[1-9]$/.test(event.key) && active !== null && editable) {
        // The field has the focus by the time the digit is typed into it.
        document.querySelector<HTMLInputElement>(`#${CSS.escape(rowId(active))} input`)?.focus();
      }
      return false;
    },
  });

  function place(id: string, to: number) {
    if (!editable) return;
    const index = Math.min(Math.max(to, 0), order.length - 1);
    move(id, index);
    setActive(id);
    reveal(index);
  }

  const placeRow = useStableCallback(place);

  function onDragEnd({ active: draggedItem, over: target }: DragEndEvent) {
    setDragged(null);
    setOver(null);
    if (target) place(String(draggedItem.id), order.indexOf(String(target.id)));
  }

  if (query.isPending) return <SkeletonTable label="Loading participants" />;
  if (query.isError && order.length === 0) {
    return <QueryError title="The participants could not be loaded" query={query} />;
  }
  if (complete && order.length === 0) {
    return (
      <EmptyState title="No participants to seed yet">
        Participants with a slot appear here. Seed them before the start.
      </EmptyState>
    );
  }
  const from = dragged === null ? -1 : order.indexOf(dragged);
  const below = over !== null && order.indexOf(over) > from;
  return (
    <section aria-labelledby="seeding" className="grid grid-cols-1 gap-3">
      <div className="flex flex-wrap items-center gap-3">
        <h2 id="seeding" className="display mr-auto text-xl">
          Seeding
        </h2>
        {editable ? (
          <>
            <Button icon={<Dices aria-hidden />} disabled={!complete} onClick={seeding.draw}>
              Randomize
            </Button>
            <Button icon={<ListStart aria-hidden />} disabled={!complete} onClick={seeding.byRegistration}>
              By registration time
            </Button>
          </>
        ) : null}
      </div>
      <p className="text-muted">
        {editable ? (
          <>
            Drag a row or type a seed number
            <span className="max-md:hidden">
              , or press <Kbd>Alt</Kbd> <Kbd>↑</Kbd> <Kbd>↓</Kbd> on the current row
            </span>
            . Byes go to the top seeds.
          </>
        ) : canWrite ? (
          'The tournament has started or is over, so the seeds can no longer change.'
        ) : (
          'Only organizers can change the seeds.'
        )}
      </p>
      <DndContext
        sensors={sensors}
        collisionDetection={pointerWithin}
        measuring={measuring}
        onDragStart={({ active: draggedItem }) => setDragged(String(draggedItem.id))}
        onDragOver={({ over: target }: DragOverEvent) => setOver(target ? String(target.id) : null)}
        onDragCancel={() => {
          setDragged(null);
          setOver(null);
        }}
        onDragEnd={onDragEnd}
      >
        <table
          {...gridProps}
          aria-label="Seeds"
          aria-rowcount={order.length}
          className="group/grid block rounded border bg-surface text-sm outline-none focus-visible:border-accent"
        >
          <tbody {...bodyProps} className={cn('relative block', !hydrated && 'max-md:invisible')}>
            {virtualRows.map(({ index, top }) => {
              const id = order[index];
              const row = id === undefined ? undefined : byId.get(id);
              if (!row) return null;
              return (
                <SeedRow
                  key={row.id}
                  row={row}
                  place={index + 1}
                  count={order.length}
                  saved={seeding.places.get(row.id) ?? null}
                  joined={seeding.joined.has(row.id)}
                  active={row.id === active}
                  editable={editable && complete}
                  dragged={row.id === dragged}
                  dropEdge={row.id === over && row.id !== dragged ? (below ? 'below' : 'above') : null}
                  top={top}
                  height={height}
                  onPlace={placeRow}
                />
              );
            })}
          </tbody>
        </table>
        <DragOverlay dropAnimation={null}>
          {dragged === null ? null : (
            <div className="flex h-9 items-center gap-3 rounded border border-accent bg-raised px-4 shadow">
              <span className="figure">{from + 1}</span>
              <span dir="auto" className="truncate font-medium">
                {byId.get(dragged)?.name}
              </span>
            </div>
          )}
        </DragOverlay>
      </DndContext>
      <UnsavedBar seeding={seeding} />
    </section>
  );
}
