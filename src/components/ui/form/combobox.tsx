'use client';

import { Command } from 'cmdk';
import { Check, ChevronDown } from 'lucide-react';
import { Popover } from 'radix-ui';
import { type ReactNode, useState } from 'react';
import { cn } from '@/components/ui/cn';
import { useFieldControl, useFieldLabelId } from '@/components/ui/form/field';
import { controlClass } from '@/components/ui/form/input';

export type ComboboxOption = { value: string; label: string; hint?: string; keywords?: string[] };

/** Selects one option from a long list, filtered by typing. `label` is for use outside a Field. */
export function Combobox({
  value,
  onValueChange,
  options,
  placeholder = 'Choose',
  searchPlaceholder = 'Search',
  empty = 'No results.',
  label,
  disabled,
  className,
}: {
  value?: string;
  onValueChange: (value: string) => void;
  options: ComboboxOption[];
  placeholder?: string;
  searchPlaceholder?: string;
  empty?: ReactNode;
  label?: string;
  disabled?: boolean;
  className?: string;
}) {
  const [open, setOpen] = useState(false);
  const control = useFieldControl();
  const labelId = useFieldLabelId();
  const chosen = options.find((option) => option.value === value);
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger
        {...(label ? { 'aria-label': label } : { ...control, 'aria-labelledby': labelId })}
        role="combobox"
        aria-haspopup="listbox"
        aria-expanded={open}
        disabled={disabled}
        className={cn(
          controlClass,
          'flex h-9 items-center justify-between gap-2 text-start max-sm:h-11',
          !chosen && 'text-faint',
          className,
        )}
      >
        <span className="truncate">{chosen?.label ?? value ?? placeholder}</span>
        <ChevronDown aria-hidden className="size-4 shrink-0 text-faint" />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          sideOffset={4}
          align="start"
          className="z-50 w-(--radix-popover-trigger-width) min-w-64 animate-appear overflow-hidden rounded border bg-raised shadow"
        >
          <Command loop>
            <Command.Input
              placeholder={searchPlaceholder}
              className="h-10 w-full border-b bg-transparent px-3 text-base outline-none sm:text-sm"
            />
            <Command.List className="max-h-72 overflow-y-auto p-1">
              <Command.Empty className="px-3 py-4 text-muted">{empty}</Command.Empty>
              {options.map((option) => (
                <Command.Item
                  key={option.value}
                  value={option.value}
                  keywords={[option.label, ...(option.keywords ?? [])]}
                  onSelect={() => {
                    onValueChange(option.value);
                    setOpen(false);
                  }}
                  className="flex cursor-default items-center gap-2 rounded px-3 py-2 text-sm data-[selected=true]:bg-hover sm:py-1.5"
                >
                  <span className="min-w-0 flex-1 truncate">{option.label}</span>
                  {option.hint ? <span className="numerals text-xs text-faint">{option.hint}</span> : null}
                  {option.value === value ? <Check aria-hidden className="size-4 text-accent" /> : null}
                </Command.Item>
              ))}
            </Command.List>
          </Command>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
