'use client';

import { ArrowDown, ArrowUp, Plus, Trash2 } from 'lucide-react';
import { Controller, useFieldArray, useFormContext, useWatch } from 'react-hook-form';
import { LockNote, SettingField, useLock } from '@/components/organizer/form/setting-field';
import { type FormValues, keyOf } from '@/components/organizer/form/values';
import { Button } from '@/components/ui/button';
import { Checkbox } from '@/components/ui/choices';
import { FieldRow, FormSection } from '@/components/ui/form-section';
import { Input, Textarea } from '@/components/ui/input';
import { Select } from '@/components/ui/select';

const types = [
  { value: 'text', label: 'Short text' },
  { value: 'number', label: 'Number' },
  { value: 'select', label: 'One of several choices' },
  { value: 'checkbox', label: 'Yes or no' },
  { value: 'url', label: 'Web address' },
];

function Question({
  index,
  count,
  answered,
  onMove,
  onRemove,
}: {
  index: number;
  count: number;
  /** Someone may have answered it: its type stays. */
  answered: boolean;
  onMove: (to: number) => void;
  onRemove: () => void;
}) {
  const { register, control } = useFormContext<FormValues>();
  const [label, type, key] = useWatch({
    control,
    name: [`customFields.${index}.label`, `customFields.${index}.type`, `customFields.${index}.key`],
  });
  const title = label.trim() || `Question ${index + 1}`;
  const shownKey = key || (label.trim() ? keyOf(label, new Set()) : '');
  return (
    <li className="grid gap-4 rounded border bg-surface p-4">
      <div className="flex items-center gap-1">
        <h3 className="min-w-0 flex-1 truncate font-medium" dir="auto">
          {title}
        </h3>
        <Button
          variant="ghost"
          size="icon"
          aria-label={`Move ${title} up`}
          disabled={index === 0}
          onClick={() => onMove(index - 1)}
          icon={<ArrowUp aria-hidden />}
        />
        <Button
          variant="ghost"
          size="icon"
          aria-label={`Move ${title} down`}
          disabled={index === count - 1}
          onClick={() => onMove(index + 1)}
          icon={<ArrowDown aria-hidden />}
        />
        <Button
          variant="ghost"
          size="icon"
          aria-label={`Remove ${title}`}
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
                In the API its answer is <code className="font-mono">{shownKey}</code>.
              </>
            ) : null
          }
        >
          {() => <Input {...register(`customFields.${index}.label`)} placeholder="Discord name" dir="auto" />}
        </SettingField>
        <SettingField
          name={`customFields.${index}.type`}
          of="customFields"
          label="Kind of answer"
          required
          hint={answered ? <LockNote reason="someone may have answered it" /> : null}
        >
          {() => (
            <Controller
              control={control}
              name={`customFields.${index}.type`}
              render={({ field }) => (
                <Select value={field.value} onValueChange={field.onChange} options={types} disabled={answered} />
              )}
            />
          )}
        </SettingField>
      </FieldRow>
      {type === 'select' ? (
        <SettingField
          name={`customFields.${index}.options`}
          of="customFields"
          label="Choices"
          required
          hint="One a line."
        >
          {() => (
            <Controller
              control={control}
              name={`customFields.${index}.options`}
              render={({ field }) => (
                <Textarea
                  rows={3}
                  value={field.value.join('\n')}
                  onChange={(event) => field.onChange(event.target.value.split('\n'))}
                  onBlur={() => {
                    field.onChange(field.value.map((choice) => choice.trim()).filter(Boolean));
                    field.onBlur();
                  }}
                />
              )}
            />
          )}
        </SettingField>
      ) : null}
      <div className="flex flex-wrap gap-x-8 gap-y-3">
        <Controller
          control={control}
          name={`customFields.${index}.required`}
          render={({ field }) => (
            <Checkbox
              label={type === 'checkbox' ? 'Must be ticked' : 'Must be answered'}
              checked={field.value}
              onCheckedChange={field.onChange}
            />
          )}
        />
        <Controller
          control={control}
          name={`customFields.${index}.visibility`}
          render={({ field }) => (
            <Checkbox
              label="Everyone sees the answer"
              hint="Otherwise only who manages the tournament."
              checked={field.value === 'public'}
              onCheckedChange={(on) => field.onChange(on ? 'public' : 'organizers')}
            />
          )}
        />
      </div>
    </li>
  );
}

/** What entrants are asked when they register. `keptKeys`: questions whose type must stay. */
export function QuestionsSection({ keptKeys }: { keptKeys: ReadonlySet<string> }) {
  const { control, getValues } = useFormContext<FormValues>();
  const { fields, append, move, remove } = useFieldArray({ control, name: 'customFields', keyName: 'rowId' });
  const reason = useLock('customFields');
  return (
    <FormSection
      title="Questions"
      description="What you need to know of each entrant, such as a Discord name or a game id. Ask little: every question costs entrants."
    >
      {reason ? (
        <p>
          <LockNote reason={reason} />
        </p>
      ) : null}
      {fields.length > 0 ? (
        <ol className="grid gap-3">
          {fields.map((field, index) => (
            <Question
              key={field.rowId}
              index={index}
              count={fields.length}
              answered={keptKeys.has(getValues(`customFields.${index}.key`))}
              onMove={(to) => move(index, to)}
              onRemove={() => remove(index)}
            />
          ))}
        </ol>
      ) : null}
      <div className="flex flex-wrap items-center gap-3">
        <Button
          icon={<Plus aria-hidden />}
          disabled={reason !== undefined || fields.length >= 30}
          onClick={() =>
            append({ key: '', label: '', type: 'text', required: false, options: [], visibility: 'organizers' })
          }
        >
          Add a question
        </Button>
        {fields.length === 0 ? <p className="text-muted">Name and account are known without asking.</p> : null}
      </div>
    </FormSection>
  );
}
