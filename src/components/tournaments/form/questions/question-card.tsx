'use client';

import { useSortable } from '@dnd-kit/sortable';
import { ArrowDown, ArrowUp, GripVertical, Trash2 } from 'lucide-react';
import { Controller, useFormContext, useWatch } from 'react-hook-form';
import { ChoicesEditor } from '@/components/tournaments/form/questions/choices-editor';
import { PatternField } from '@/components/tournaments/form/questions/pattern-field';
import { LockNote, lockedClass, SettingField, useLockReason } from '@/components/tournaments/form/setting-field';
import { type FormValues, questionKey } from '@/components/tournaments/form/values';
import { cn } from '@/components/ui/cn';
import { Button } from '@/components/ui/form/button';
import { Checkbox } from '@/components/ui/form/choices';
import { FieldRow } from '@/components/ui/form/form-section';
import { Input } from '@/components/ui/form/input';
import { Select } from '@/components/ui/form/select';

const types = [
  { value: 'text', label: 'Short text' },
  { value: 'number', label: 'Number' },
  { value: 'select', label: 'Single choice' },
  { value: 'checkbox', label: 'Checkbox' },
  { value: 'url', label: 'URL' },
];

/** One question with its answer type and visibility. Its handle drags it with a pointer, or with Space and arrow keys. */
export function QuestionCard({
  rowId,
  index,
  count,
  answered,
  onMove,
  onRemove,
}: {
  rowId: string;
  index: number;
  count: number;
  /** Whether someone may have answered it, which locks its type. */
  answered: boolean;
  onMove: (to: number) => void;
  onRemove: () => void;
}) {
  const { register, control } = useFormContext<FormValues>();
  const locked = useLockReason('customFields') !== undefined;
  const [label, type, key] = useWatch({
    control,
    name: [`customFields.${index}.label`, `customFields.${index}.type`, `customFields.${index}.key`],
  });
  const { attributes, listeners, setNodeRef, setActivatorNodeRef, transform, transition, isDragging } = useSortable({
    id: rowId,
    disabled: locked,
  });
  const title = label.trim() || `Question ${index + 1}`;
  const shownKey = key || (label.trim() ? questionKey(label, new Set()) : '');
  return (
    <li
      ref={setNodeRef}
      style={{ transform: transform ? `translate(${transform.x}px, ${transform.y}px)` : undefined, transition }}
      className={cn(
        'grid grid-cols-1 gap-4 rounded border bg-surface p-4',
        isDragging && 'relative z-10 border-accent shadow',
      )}
      onKeyDown={(event) => {
        if (!event.altKey || locked || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
        event.preventDefault();
        onMove(index + (event.key === 'ArrowUp' ? -1 : 1));
      }}
    >
      <div className="flex items-center gap-1">
        <button
          type="button"
          ref={setActivatorNodeRef}
          {...attributes}
          {...listeners}
          disabled={locked}
          aria-label={`Drag ${title}`}
          className="-ml-2 grid size-9 shrink-0 cursor-grab touch-none place-items-center rounded text-faint hover:text-ink disabled:cursor-default disabled:opacity-50 max-sm:size-11"
        >
          <GripVertical aria-hidden className="size-4" />
        </button>
        <h3 className="min-w-0 flex-1 truncate font-medium" dir="auto">
          {title}
        </h3>
        <Button
          variant="ghost"
          size="icon"
          aria-label={`Move ${title} up`}
          disabled={locked || index === 0}
          onClick={() => onMove(index - 1)}
          icon={<ArrowUp aria-hidden />}
        />
        <Button
          variant="ghost"
          size="icon"
          aria-label={`Move ${title} down`}
          disabled={locked || index === count - 1}
          onClick={() => onMove(index + 1)}
          icon={<ArrowDown aria-hidden />}
        />
        <Button
          variant="ghost"
          size="icon"
          aria-label={`Remove ${title}`}
          disabled={locked}
          onClick={onRemove}
          icon={<Trash2 aria-hidden />}
        />
      </div>
      <FieldRow>
        <SettingField
          name={`customFields.${index}.label`}
          of="customFields"
          label="Question"
          required
          hint={
            shownKey ? (
              <>
                Field name in the API: <code className="font-mono">{shownKey}</code>
              </>
            ) : null
          }
        >
          {() => (
            <Input
              {...register(`customFields.${index}.label`)}
              readOnly={locked}
              className={lockedClass}
              maxLength={120}
              placeholder="Discord name"
              dir="auto"
            />
          )}
        </SettingField>
        <SettingField
          name={`customFields.${index}.type`}
          of="customFields"
          label="Answer type"
          required
          hint={answered ? <LockNote reason="someone may have answered it" /> : null}
        >
          {() => (
            <Controller
              control={control}
              name={`customFields.${index}.type`}
              render={({ field }) => (
                <Select
                  value={field.value}
                  onValueChange={field.onChange}
                  options={types}
                  disabled={locked || answered}
                />
              )}
            />
          )}
        </SettingField>
      </FieldRow>
      <SettingField
        name={`customFields.${index}.helpText`}
        of="customFields"
        label="Help text"
        hint="Shown below the question and in the error message for an invalid answer."
      >
        {() => (
          <Input
            {...register(`customFields.${index}.helpText`)}
            readOnly={locked}
            className={lockedClass}
            maxLength={300}
            placeholder="In Discord under Settings, My Account"
            dir="auto"
          />
        )}
      </SettingField>
      {type === 'select' ? (
        <SettingField name={`customFields.${index}.options`} of="customFields" label="Choices" required group>
          {() => (
            <Controller
              control={control}
              name={`customFields.${index}.options`}
              render={({ field }) => (
                <ChoicesEditor value={field.value} disabled={locked} onChange={field.onChange} onBlur={field.onBlur} />
              )}
            />
          )}
        </SettingField>
      ) : null}
      {type === 'text' ? <PatternField index={index} locked={locked} /> : null}
      <div className="flex flex-wrap gap-x-8 gap-y-3">
        <Controller
          control={control}
          name={`customFields.${index}.required`}
          render={({ field }) => (
            <Checkbox
              label={type === 'checkbox' ? 'Must be checked' : 'Required'}
              checked={field.value}
              disabled={locked}
              onCheckedChange={field.onChange}
            />
          )}
        />
        <Controller
          control={control}
          name={`customFields.${index}.visibility`}
          render={({ field }) => (
            <Checkbox
              label="Public answer"
              hint="If off, only organizers see it."
              checked={field.value === 'public'}
              disabled={locked}
              onCheckedChange={(on) => field.onChange(on ? 'public' : 'organizers')}
            />
          )}
        />
      </div>
    </li>
  );
}
