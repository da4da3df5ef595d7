'use client';

import { Controller, useFormContext } from 'react-hook-form';
import { SettingField, useLockReason } from '@/components/tournaments/form/setting-field';
import type { FormValues } from '@/components/tournaments/form/values';
import { Switch } from '@/components/ui/form/choices';
import { Input } from '@/components/ui/form/input';
import { Select } from '@/components/ui/form/select';
import type { FormatOptions } from '@/domain/tournaments/rules';

type NumberOption =
  | 'rounds'
  | 'winsToAdvance'
  | 'lossesToEliminate'
  | 'groups'
  | 'advancePerGroup'
  | 'pointsForWin'
  | 'pointsForDraw'
  | 'pointsForLoss';

const toNumber = (value: unknown) => (value === '' || value == null ? undefined : Number(value));

/** A number that may be left empty for its default, which stands in the empty field. */
export function NumberField({
  name,
  label,
  hint,
  standard,
  max,
}: {
  name: NumberOption;
  label: string;
  hint?: string;
  /** What an empty field means. */
  standard: number | string;
  max: number;
}) {
  const { register } = useFormContext<FormValues>();
  return (
    <SettingField name={`formatOptions.${name}`} of="formatOptions" label={label} hint={hint}>
      {(locked) => (
        <Input
          type="number"
          inputMode="numeric"
          min={0}
          max={max}
          placeholder={String(standard)}
          readOnly={locked}
          {...register(`formatOptions.${name}`, { setValueAs: toNumber })}
        />
      )}
    </SettingField>
  );
}

type ChoiceOption = 'bestOf' | 'legs' | 'playoffs' | 'groupFormat' | 'knockoutFormat';

/** One of a few values. */
export function ChoiceField<Name extends ChoiceOption>({
  name,
  label,
  hint,
  standard,
  choices,
}: {
  name: Name;
  label: string;
  hint?: string;
  /** What it is unless something is chosen. */
  standard: NonNullable<FormatOptions[Name]>;
  choices: readonly { value: NonNullable<FormatOptions[Name]>; label: string }[];
}) {
  const { control } = useFormContext<FormValues>();
  return (
    <SettingField name={`formatOptions.${name}`} of="formatOptions" label={label} hint={hint} required>
      {(locked) => (
        <Controller
          control={control}
          name={`formatOptions.${name}`}
          render={({ field }) => (
            <Select
              value={String(field.value ?? standard)}
              onValueChange={(value) => field.onChange(choices.find((choice) => String(choice.value) === value)?.value)}
              options={choices.map(({ value, label: text }) => ({ value: String(value), label: text }))}
              disabled={locked}
            />
          )}
        />
      )}
    </SettingField>
  );
}

/** An option that is on or off. */
export function SwitchField({
  name,
  label,
  hint,
  standard,
}: {
  name: 'thirdPlace' | 'grandFinalReset';
  label: string;
  hint: string;
  /** What it is unless it is switched. */
  standard: boolean;
}) {
  const { control } = useFormContext<FormValues>();
  const locked = useLockReason('formatOptions') !== undefined;
  return (
    <Controller
      control={control}
      name={`formatOptions.${name}`}
      render={({ field }) => (
        <Switch
          checked={field.value ?? standard}
          onCheckedChange={field.onChange}
          disabled={locked}
          label={label}
          hint={hint}
        />
      )}
    />
  );
}
