'use client';

import { useFormContext } from 'react-hook-form';
import { Field } from '@/components/ui/form/field';
import { Input } from '@/components/ui/form/input';
import type { FormValues } from '@/components/webhooks/form/values';

type Numeric = {
  [Name in keyof FormValues]: FormValues[Name] extends number | null ? Name : never;
}[keyof FormValues];

/** A numeric setting, with its API name beside the label. */
export function NumberField({
  name,
  label,
  unit,
  hint,
  optional = false,
}: {
  name: Numeric;
  label: string;
  unit?: string;
  hint: string;
  /** An empty field is null. */
  optional?: boolean;
}) {
  const form = useFormContext<FormValues>();
  return (
    <Field
      label={label}
      required={!optional}
      error={form.formState.errors[name]?.message}
      hint={hint}
      aside={<code className="font-mono">{name}</code>}
    >
      <Input
        {...form.register(name, {
          setValueAs: (text: unknown) =>
            optional && (text === '' || text === null) ? null : text === '' ? Number.NaN : Number(text),
        })}
        type="number"
        inputMode="decimal"
        step="any"
        suffix={unit}
      />
    </Field>
  );
}
