'use client';

import { Check } from 'lucide-react';
import Link from 'next/link';
import { DropdownMenu } from 'radix-ui';
import type { ReactNode } from 'react';
import { cn } from '@/components/ui/cn';
import { Kbd } from '@/components/ui/navigation/kbd';

const item =
  'flex cursor-default items-center gap-2.5 rounded px-3 py-2 text-sm text-ink outline-none select-none data-[disabled]:text-faint data-[highlighted]:bg-hover sm:py-1.5 [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-muted';

/** A dropdown menu. `trigger` must be one focusable element. */
export function Menu({
  trigger,
  children,
  align = 'end',
  defaultOpen,
  label,
}: {
  trigger: ReactNode;
  children: ReactNode;
  align?: 'start' | 'end';
  /** Opens the menu on mount, for menus that are rendered on demand. */
  defaultOpen?: boolean;
  label?: string;
}) {
  return (
    <DropdownMenu.Root modal={false} defaultOpen={defaultOpen}>
      <DropdownMenu.Trigger asChild aria-label={label}>
        {trigger}
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align={align}
          sideOffset={6}
          collisionPadding={8}
          className="z-50 max-w-80 min-w-48 animate-appear rounded border bg-raised p-1 shadow"
        >
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

/** An action of a menu, or a link when it has an `href`. */
export function MenuItem({
  icon,
  shortcut,
  danger = false,
  disabled,
  href,
  onSelect,
  children,
}: {
  icon?: ReactNode;
  shortcut?: string;
  danger?: boolean;
  disabled?: boolean;
  href?: string;
  onSelect?: (event: Event) => void;
  children: ReactNode;
}) {
  const className = cn(item, danger && 'text-danger [&_svg]:text-danger');
  const content = (
    <>
      {icon}
      <span className="min-w-0 flex-1 truncate">{children}</span>
      {shortcut ? <Kbd>{shortcut}</Kbd> : null}
    </>
  );
  if (href) {
    return (
      <DropdownMenu.Item asChild disabled={disabled} onSelect={onSelect}>
        <Link href={href} className={className}>
          {content}
        </Link>
      </DropdownMenu.Item>
    );
  }
  return (
    <DropdownMenu.Item disabled={disabled} onSelect={onSelect} className={className}>
      {content}
    </DropdownMenu.Item>
  );
}

/** Mutually exclusive options with a check mark at the selected one. */
export function MenuChoices({
  value,
  onValueChange,
  options,
}: {
  value: string;
  onValueChange: (value: string) => void;
  options: { value: string; label: ReactNode; icon?: ReactNode }[];
}) {
  return (
    <DropdownMenu.RadioGroup value={value} onValueChange={onValueChange}>
      {options.map((option) => (
        <DropdownMenu.RadioItem key={option.value} value={option.value} className={item}>
          {option.icon}
          <span className="min-w-0 flex-1 truncate">{option.label}</span>
          <DropdownMenu.ItemIndicator>
            <Check aria-hidden />
          </DropdownMenu.ItemIndicator>
        </DropdownMenu.RadioItem>
      ))}
    </DropdownMenu.RadioGroup>
  );
}

export function MenuLabel({ children }: { children: ReactNode }) {
  return <DropdownMenu.Label className="label px-3 pt-2 pb-1 text-faint">{children}</DropdownMenu.Label>;
}

export function MenuSeparator() {
  return <DropdownMenu.Separator className="my-1 h-px bg-line" />;
}
