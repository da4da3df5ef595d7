'use client';

import { type Announcements, closestCenter, DndContext, type UniqueIdentifier } from '@dnd-kit/core';
import { arrayMove, SortableContext, useSortable, verticalListSortingStrategy } from '@dnd-kit/sortable';
import { GripVertical, Radio, X } from 'lucide-react';
import { pairing } from '@/components/matches/actions/match-names';
import type { DeskActions } from '@/components/matches/desk/use-desk-actions';
import type { Match } from '@/components/matches/types';
import { cn } from '@/components/ui/cn';
import { Badge } from '@/components/ui/data/badge';
import { Button } from '@/components/ui/form/button';
import { useSortSensors } from '@/components/ui/form/use-sort-sensors';
import { isBeingPlayed } from '@/domain/matches/play';

/** What is on stream now and what comes next; the order changes by dragging, or with Space and the arrow keys. */
export function StreamQueue({
  onStream,
  queue,
  actions,
}: {
  onStream: Match | null;
  /** In the order of the server. */
  queue: readonly Match[];
  actions: DeskActions;
}) {
  const sensors = useSortSensors();
  const saved = queue.map(({ id }) => id);
  // The new order shows at once.
  const pending = actions.queue.isPending ? actions.queue.variables.matchIds : saved;
  const shown = pending.flatMap((id) => queue.find((match) => match.id === id) ?? []);
  const ids = shown.map(({ id }) => id);
  const nameOf = (id: UniqueIdentifier) => `M${shown.find((match) => match.id === id)?.number}`;
  const placeOf = (id: UniqueIdentifier) => ids.indexOf(String(id)) + 1;
  const announcements: Announcements = {
    onDragStart: ({ active }) => `Picked up ${nameOf(active.id)}. Move it with the arrow keys, drop it with Space.`,
    onDragOver: ({ active, over }) =>
      over && over.id !== active.id
        ? `${nameOf(active.id)} is at position ${placeOf(over.id)} of ${ids.length}.`
        : undefined,
    onDragEnd: ({ active, over }) =>
      over
        ? `${nameOf(active.id)} was dropped at position ${placeOf(over.id)}.`
        : `${nameOf(active.id)} was not moved.`,
    onDragCancel: ({ active }) => `${nameOf(active.id)} was not moved.`,
  };

  function moveTo(id: string, over: UniqueIdentifier) {
    const [from, to] = [ids.indexOf(id), ids.indexOf(String(over))];
    if (from !== to)
      actions.setQueue(saved, arrayMove(ids, from, to), `M${shown[from]?.number} moved in the stream queue`);
  }

  return (
    <section aria-labelledby="stream-queue" className="grid grid-cols-1 gap-3">
      <h2 id="stream-queue" className="display text-xl">
        Stream queue
      </h2>
      {onStream ? (
        <p className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1 rounded border border-live bg-surface px-4 py-3">
          <Badge tone="live" icon={Radio}>
            On stream now
          </Badge>
          <span className="figure">M{onStream.number}</span>
          <bdi className="min-w-0 truncate">{pairing(onStream)}</bdi>
        </p>
      ) : null}
      {shown.length === 0 ? (
        <p className="text-muted">Choose “Stream” on a match to show it on stream.</p>
      ) : (
        <DndContext
          // Generated ids would differ between server and browser.
          id="stream-queue-order"
          sensors={sensors}
          collisionDetection={closestCenter}
          accessibility={{ announcements }}
          onDragEnd={({ active, over }) => over && moveTo(String(active.id), over.id)}
        >
          <SortableContext items={ids} strategy={verticalListSortingStrategy}>
            <ol className="grid grid-cols-1 divide-y rounded border bg-surface">
              {shown.map((match) => (
                <QueuedMatch
                  key={match.id}
                  match={match}
                  isNext={match === shown.find((one) => one.id !== onStream?.id && !isBeingPlayed(one))}
                  onRemove={() =>
                    actions.setQueue(
                      saved,
                      ids.filter((id) => id !== match.id),
                      `M${match.number} left the stream queue`,
                    )
                  }
                />
              ))}
            </ol>
          </SortableContext>
        </DndContext>
      )}
    </section>
  );
}

function QueuedMatch({ match, isNext, onRemove }: { match: Match; isNext: boolean; onRemove: () => void }) {
  const { id, number, station } = match;
  const { attributes, listeners, setNodeRef, setActivatorNodeRef, transform, transition, isDragging } = useSortable({
    id,
  });
  return (
    <li
      ref={setNodeRef}
      style={{ transform: transform ? `translate(${transform.x}px, ${transform.y}px)` : undefined, transition }}
      className={cn('flex items-center gap-2 bg-surface py-2 pr-2 pl-1', isDragging && 'relative z-10 rounded shadow')}
    >
      <button
        type="button"
        ref={setActivatorNodeRef}
        {...attributes}
        {...listeners}
        aria-label={`Move M${number}`}
        className="grid size-9 shrink-0 cursor-grab touch-none place-items-center rounded text-faint hover:text-ink max-sm:size-11"
      >
        <GripVertical aria-hidden className="size-4" />
      </button>
      <div className="grid min-w-0 flex-1 grid-cols-1">
        <p className="flex min-w-0 items-baseline gap-2">
          <span className="figure">M{number}</span>
          <bdi className="min-w-0 truncate">{pairing(match)}</bdi>
        </p>
        {isNext || station ? (
          <p className="truncate text-xs text-muted">{[isNext ? 'Next' : null, station].filter(Boolean).join(' · ')}</p>
        ) : null}
      </div>
      <Button
        variant="ghost"
        size="icon"
        aria-label={`Take M${number} out of the stream queue`}
        icon={<X aria-hidden />}
        onClick={onRemove}
      />
    </li>
  );
}
