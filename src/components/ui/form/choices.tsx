'use client';

import { Check, Minus } from 'lucide-react';
import { RadioGroup, Checkbox as RadixCheckbox, Switch as RadixSwitch } from 'radix-ui';
import { type ReactNode, useId } from 'react';
import { cn } from '@/components/ui/cn';
import { useFieldControl, useFieldLabelId } from '@/components/ui/form/field';

type LabelProps = { label?: ReactNode; hint?: ReactNode; 'aria-label'?: string };

function WithLabel({ id, label, hint, children }: LabelProps & { id: string; children: ReactNode }) {
  if (!label) return children;
  return (
    <div className="flex items-start gap-3">
      {children}
      <div className="grid">
        <label htmlFor={id} className="font-medium text-ink">
          {label}
        </label>
        {hint ? (
          <span id={`${id}-about`} className="text-xs text-faint">
            {hint}
          </span>
        ) : null}
      </div>
    </div>
  );
}

/** What ties a control to its own label and hint, or without a label to the field that it stands in. */
function useChoiceControl({ label, hint }: LabelProps) {
  const ownId = useId();
  const field = useFieldControl();
  const id = label ? ownId : (field.id ?? ownId);
  return { ...field, id, 'aria-describedby': label && hint ? `${id}-about` : field['aria-describedby'] };
}

/** A checkbox. `checked="indeterminate"` means that some of many are selected. */
export function Checkbox({
  checked,
  onCheckedChange,
  label,
  hint,
  disabled,
  name,
  'aria-label': ariaLabel,
}: LabelProps & {
  checked: boolean | 'indeterminate';
  onCheckedChange: (checked: boolean) => void;
  disabled?: boolean;
  name?: string;
}) {
  const control = useChoiceControl({ label, hint });
  return (
    <WithLabel id={control.id} label={label} hint={hint}>
      <RadixCheckbox.Root
        {...control}
        name={name}
        checked={checked}
        disabled={disabled}
        onCheckedChange={(next) => onCheckedChange(next === true)}
        aria-label={ariaLabel}
        className="relative mt-px grid size-5 shrink-0 place-items-center rounded border border-line-strong bg-raised transition-colors after:absolute after:-inset-2 hover:border-muted disabled:opacity-50 data-[state=checked]:border-transparent data-[state=checked]:bg-accent-fill data-[state=indeterminate]:border-transparent data-[state=indeterminate]:bg-accent-fill sm:size-4.5"
      >
        <RadixCheckbox.Indicator className="text-on-accent [&_svg]:size-3.5 [&_svg]:stroke-3">
          {checked === 'indeterminate' ? <Minus aria-hidden /> : <Check aria-hidden />}
        </RadixCheckbox.Indicator>
      </RadixCheckbox.Root>
    </WithLabel>
  );
}

/** A switch for a setting that is on or off. */
export function Switch({
  checked,
  onCheckedChange,
  label,
  hint,
  disabled,
  name,
  'aria-label': ariaLabel,
}: LabelProps & { checked: boolean; onCheckedChange: (checked: boolean) => void; disabled?: boolean; name?: string }) {
  const control = useChoiceControl({ label, hint });
  return (
    <WithLabel id={control.id} label={label} hint={hint}>
      <RadixSwitch.Root
        {...control}
        name={name}
        checked={checked}
        disabled={disabled}
        onCheckedChange={onCheckedChange}
        aria-label={ariaLabel}
        className="relative h-5 w-9 shrink-0 rounded-full border border-line-strong bg-sunken transition-colors after:absolute after:-inset-2 disabled:opacity-50 data-[state=checked]:border-transparent data-[state=checked]:bg-accent-fill"
      >
        <RadixSwitch.Thumb className="block size-3.5 translate-x-0.5 rounded-full bg-muted transition-transform data-[state=checked]:translate-x-4.5 data-[state=checked]:bg-on-accent" />
      </RadixSwitch.Root>
    </WithLabel>
  );
}

export type RadioCard = { value: string; label: ReactNode; hint?: ReactNode; icon?: ReactNode; disabled?: boolean };

/** Radio buttons as cards, for a few options that each need a sentence. For use in a `<Field group>`. */
export function RadioCards({
  value,
  onValueChange,
  options,
  columns = 2,
  name,
}: {
  value?: string;
  onValueChange: (value: string) => void;
  options: RadioCard[];
  columns?: 1 | 2 | 3;
  name?: string;
}) {
  const control = useFieldControl();
  const labelId = useFieldLabelId();
  return (
    <RadioGroup.Root
      {...control}
      aria-labelledby={labelId}
      name={name}
      value={value}
      onValueChange={onValueChange}
      className={cn('grid gap-2', columns === 2 && 'sm:grid-cols-2', columns === 3 && 'sm:grid-cols-3')}
    >
      {options.map((option) => (
        <RadioGroup.Item
          key={option.value}
          value={option.value}
          disabled={option.disabled}
          className="group flex items-start gap-3 rounded border border-line-strong bg-raised p-3 text-start transition-colors hover:border-muted disabled:opacity-50 data-[state=checked]:border-accent data-[state=checked]:bg-accent-soft data-[state=checked]:ring-1 data-[state=checked]:ring-accent [&_svg]:size-5 [&_svg]:shrink-0"
        >
          <span
            aria-hidden
            className="mt-0.5 grid size-4 shrink-0 place-items-center rounded-full border border-line-strong group-data-[state=checked]:border-accent"
          >
            <RadioGroup.Indicator className="size-2 rounded-full bg-accent" />
          </span>
          <span className="grid gap-0.5">
            <span className="font-medium text-ink">{option.label}</span>
            {option.hint ? <span className="text-xs text-muted">{option.hint}</span> : null}
          </span>
          {option.icon ? <span className="ml-auto text-muted">{option.icon}</span> : null}
        </RadioGroup.Item>
      ))}
    </RadioGroup.Root>
  );
}
