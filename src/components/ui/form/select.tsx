'use client';

import { Check, ChevronDown } from 'lucide-react';
import { Select as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { cn } from '@/components/ui/cn';
import { useFieldControl, useFieldLabelId } from '@/components/ui/form/field';
import { controlClass } from '@/components/ui/form/input';

export type SelectOption = { value: string; label: string; hint?: string; icon?: ReactNode; disabled?: boolean };

/** Selects one option from a short list. Use Combobox for long lists. */
export function Select({
  value,
  onValueChange,
  options,
  placeholder = 'Choose',
  name,
  disabled,
  className,
  'aria-label': ariaLabel,
}: {
  value?: string;
  onValueChange: (value: string) => void;
  options: SelectOption[];
  placeholder?: string;
  name?: string;
  disabled?: boolean;
  className?: string;
  'aria-label'?: string;
}) {
  const control = useFieldControl();
  const labelId = useFieldLabelId();
  return (
    <Radix.Root value={value} onValueChange={onValueChange} name={name} disabled={disabled}>
      <Radix.Trigger
        {...control}
        aria-label={ariaLabel}
        aria-labelledby={ariaLabel ? undefined : labelId}
        className={cn(
          controlClass,
          'flex h-9 items-center justify-between gap-2 text-start data-[placeholder]:text-faint max-sm:h-11',
          className,
        )}
      >
        <span className="truncate">
          {/* Without children, Radix shows the value only once React runs in the browser. */}
          <Radix.Value placeholder={placeholder}>{options.find((option) => option.value === value)?.label}</Radix.Value>
        </span>
        <ChevronDown aria-hidden className="size-4 shrink-0 text-faint" />
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          position="popper"
          sideOffset={4}
          className="z-50 max-h-(--radix-select-content-available-height) min-w-(--radix-select-trigger-width) animate-appear overflow-hidden rounded border bg-raised shadow"
        >
          <Radix.Viewport className="p-1">
            {options.map((option) => (
              <Radix.Item
                key={option.value}
                value={option.value}
                disabled={option.disabled}
                className="relative flex cursor-default items-center gap-2 rounded py-2 pr-8 pl-3 text-sm outline-none select-none data-[disabled]:text-faint data-[highlighted]:bg-hover sm:py-1.5"
              >
                {option.icon}
                <span className="grid">
                  <Radix.ItemText>{option.label}</Radix.ItemText>
                  {option.hint ? <span className="text-xs text-faint">{option.hint}</span> : null}
                </span>
                <Radix.ItemIndicator className="absolute right-2">
                  <Check aria-hidden className="size-4 text-accent" />
                </Radix.ItemIndicator>
              </Radix.Item>
            ))}
          </Radix.Viewport>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
