'use client';

import { Plus, Trash2 } from 'lucide-react';
import { useId } from 'react';
import { Controller, useFieldArray, useFormContext } from 'react-hook-form';
import { Button } from '@/components/ui/form/button';
import { Field } from '@/components/ui/form/field';
import { Input } from '@/components/ui/form/input';
import { Select } from '@/components/ui/form/select';
import type { EventType } from '@/components/webhooks/form/event-picker';
import { isSubscribed } from '@/components/webhooks/form/filter-preview';
import type { FormValues } from '@/components/webhooks/form/values';
import { valueAt } from '@/domain/json/value-at';
import { type ConditionOperator, conditionOperators } from '@/domain/webhooks/filters';

const operatorLabels: Record<ConditionOperator, string> = {
  eq: 'is',
  ne: 'is not',
  in: 'is one of',
  nin: 'is none of',
  gt: 'is greater than',
  gte: 'is at least',
  lt: 'is less than',
  lte: 'is at most',
  contains: 'contains',
  exists: 'exists',
};

const operatorOptions = conditionOperators.map((value) => ({ value, label: operatorLabels[value], hint: value }));

/** The paths of all fields in a value. Arrays count as one field. */
function listPaths(value: unknown, prefix: string): string[] {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return [prefix];
  return Object.entries(value).flatMap(([name, inner]) => listPaths(inner, prefix ? `${prefix}.${name}` : name));
}

/** The data paths of the given event types, the most common first. */
function suggestPaths(types: EventType[]): string[] {
  const counts = new Map<string, number>();
  for (const type of types) {
    for (const path of listPaths(valueAt(type.example, 'data'), '')) counts.set(path, (counts.get(path) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1]).map(([path]) => path);
}

const placeholders: Partial<Record<ConditionOperator, string>> = {
  in: 'pending, approved',
  nin: 'pending, approved',
  gt: '8',
  gte: '8',
  lt: '8',
  lte: '8',
};

function ConditionRow({ index, listId, onRemove }: { index: number; listId: string; onRemove: () => void }) {
  const form = useFormContext<FormValues>();
  const errors = form.formState.errors.conditions?.[index];
  const operator = form.watch(`conditions.${index}.operator`);
  const name = `Condition ${index + 1}`;
  return (
    <fieldset className="grid min-w-0 grid-cols-1 items-start gap-2 rounded border bg-surface p-3 lg:grid-cols-[minmax(0,2fr)_8.5rem_minmax(0,1fr)_auto]">
      <legend className="sr-only">{name}</legend>
      <Field label={`${name}: field`} hideLabel error={errors?.field?.message}>
        <Input
          {...form.register(`conditions.${index}.field`)}
          list={listId}
          autoComplete="off"
          spellCheck={false}
          placeholder="payload.status"
          className="font-mono"
        />
      </Field>
      <Controller
        control={form.control}
        name={`conditions.${index}.operator`}
        render={({ field }) => (
          <Field label={`${name}: operator`} hideLabel>
            <Select
              value={field.value}
              options={operatorOptions}
              onValueChange={(value) => {
                field.onChange(value);
                if (value === 'exists') form.setValue(`conditions.${index}.value`, 'true');
              }}
            />
          </Field>
        )}
      />
      {operator === 'exists' ? (
        <Controller
          control={form.control}
          name={`conditions.${index}.value`}
          render={({ field }) => (
            <Field label={`${name}: value`} hideLabel>
              <Select
                value={field.value === 'false' ? 'false' : 'true'}
                onValueChange={field.onChange}
                options={[
                  { value: 'true', label: 'yes' },
                  { value: 'false', label: 'no' },
                ]}
              />
            </Field>
          )}
        />
      ) : (
        <Field label={`${name}: value`} hideLabel error={errors?.value?.message}>
          <Input
            {...form.register(`conditions.${index}.value`)}
            autoComplete="off"
            spellCheck={false}
            placeholder={placeholders[operator] ?? 'approved'}
            className="font-mono"
          />
        </Field>
      )}
      <Button
        variant="ghost"
        size="icon"
        aria-label={`Remove ${name.toLowerCase()}`}
        icon={<Trash2 aria-hidden />}
        onClick={onRemove}
      />
    </fieldset>
  );
}

/** Conditions on an event's data, all of which must match. */
export function Conditions({ types }: { types: EventType[] }) {
  const form = useFormContext<FormValues>();
  const listId = useId();
  const { fields, append, remove } = useFieldArray({ control: form.control, name: 'conditions' });
  const patterns = form.watch('events');
  const chosen = types.filter((type) => isSubscribed(type, patterns));
  return (
    <Field
      label="Conditions"
      group
      error={form.formState.errors.conditions?.root?.message}
      hint={
        <>
          All conditions must match. Paths start in the delivery’s <code className="font-mono">data</code>. Put text
          that looks like a number, true, false or null in quotes, such as "7".
        </>
      }
    >
      <datalist id={listId}>
        {suggestPaths(chosen.length > 0 ? chosen : types).map((path) => (
          <option key={path} value={path} />
        ))}
      </datalist>
      <div className="grid gap-2">
        {fields.map((field, index) => (
          <ConditionRow key={field.id} index={index} listId={listId} onRemove={() => remove(index)} />
        ))}
        <Button
          size="sm"
          className="justify-self-start"
          icon={<Plus aria-hidden />}
          disabled={fields.length >= 20}
          onClick={() =>
            append({ field: 'payload.', operator: 'eq', value: '' }, { focusName: `conditions.${fields.length}.field` })
          }
        >
          Add condition
        </Button>
      </div>
    </Field>
  );
}
