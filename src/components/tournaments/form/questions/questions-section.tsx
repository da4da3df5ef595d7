'use client';

import { type Announcements, closestCenter, DndContext, type DragEndEvent, type UniqueIdentifier } from '@dnd-kit/core';
import { SortableContext, verticalListSortingStrategy } from '@dnd-kit/sortable';
import { Plus } from 'lucide-react';
import { useRef } from 'react';
import { useFieldArray, useFormContext } from 'react-hook-form';
import { QuestionCard } from '@/components/tournaments/form/questions/question-card';
import { LockNote, useLockReason } from '@/components/tournaments/form/setting-field';
import type { FormValues } from '@/components/tournaments/form/values';
import { Button } from '@/components/ui/form/button';
import { FormSection } from '@/components/ui/form/form-section';
import { useSortSensors } from '@/components/ui/form/use-sort-sensors';

const maxQuestions = 30;

/** The questions of the registration form. `keptKeys`: keys of questions whose type is locked. */
export function QuestionsSection({ keptKeys }: { keptKeys: ReadonlySet<string> }) {
  const { control, getValues } = useFormContext<FormValues>();
  const { fields, append, move, remove } = useFieldArray({ control, name: 'customFields', keyName: 'rowId' });
  const reason = useLockReason('customFields');
  const list = useRef<HTMLOListElement>(null);
  const sensors = useSortSensors();
  const ids = fields.map((field) => field.rowId);
  const indexOf = (id: UniqueIdentifier) => ids.indexOf(String(id));
  const titleOf = (id: UniqueIdentifier) =>
    getValues(`customFields.${indexOf(id)}.label`)?.trim() || `Question ${indexOf(id) + 1}`;

  const announcements: Announcements = {
    onDragStart: ({ active }) => `Picked up ${titleOf(active.id)}. Move it with the arrow keys, drop it with Space.`,
    onDragOver: ({ active, over }) =>
      // Right after it is picked up it hovers over itself, which is not worth announcing.
      over && over.id !== active.id
        ? `${titleOf(active.id)} is at position ${indexOf(over.id) + 1} of ${ids.length}.`
        : undefined,
    onDragEnd: ({ active, over }) =>
      over
        ? `${titleOf(active.id)} was dropped at position ${indexOf(over.id) + 1}.`
        : `${titleOf(active.id)} was not moved.`,
    onDragCancel: ({ active }) => `${titleOf(active.id)} was not moved.`,
  };

  function moveQuestion(from: number, to: number) {
    if (from === to || to < 0 || to >= fields.length) return;
    const focused = document.activeElement?.getAttribute('aria-label');
    move(from, to);
    // Moving the row in the document can take the focus away from the pressed button.
    requestAnimationFrame(() => {
      const row = list.current?.children[to];
      const same = [...(row?.querySelectorAll('button') ?? [])].find((each) => each.ariaLabel === focused);
      if (focused && same && document.activeElement === document.body) same.focus();
    });
  }

  function onDragEnd({ active, over }: DragEndEvent) {
    if (over) moveQuestion(indexOf(active.id), indexOf(over.id));
  }

  return (
    <FormSection
      title="Questions"
      description="What you need to know about each participant, such as a Discord name or game ID. Keep it short: every question costs you registrations."
    >
      {reason ? (
        <p>
          <LockNote reason={reason} />
        </p>
      ) : null}
      {fields.length > 0 ? (
        <DndContext
          // Generated ids would differ between server and browser.
          id="questions"
          sensors={sensors}
          collisionDetection={closestCenter}
          accessibility={{ announcements }}
          onDragEnd={onDragEnd}
        >
          <SortableContext items={ids} strategy={verticalListSortingStrategy}>
            <ol ref={list} className="grid grid-cols-1 gap-3">
              {fields.map((field, index) => (
                <QuestionCard
                  key={field.rowId}
                  rowId={field.rowId}
                  index={index}
                  count={fields.length}
                  answered={keptKeys.has(getValues(`customFields.${index}.key`))}
                  onMove={(to) => moveQuestion(index, to)}
                  onRemove={() => remove(index)}
                />
              ))}
            </ol>
          </SortableContext>
        </DndContext>
      ) : null}
      <div className="flex flex-wrap items-center gap-3">
        <Button
          icon={<Plus aria-hidden />}
          disabled={reason !== undefined || fields.length >= maxQuestions}
          onClick={() =>
            append({ key: '', label: '', type: 'text', required: false, options: [], visibility: 'organizers' })
          }
        >
          Add a question
        </Button>
        {fields.length === 0 ? (
          <p className="text-muted">You get each participant’s name and account without asking.</p>
        ) : null}
        {fields.length > 1 && !reason ? (
          <p className="text-muted">Drag a question by its handle, or move it with Alt and the arrow keys.</p>
        ) : null}
      </div>
    </FormSection>
  );
}
