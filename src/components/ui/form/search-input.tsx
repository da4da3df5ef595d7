'use client';

import { Search } from 'lucide-react';
import { type ComponentProps, useRef } from 'react';
import { Input } from '@/components/ui/form/input';
import { Kbd } from '@/components/ui/navigation/kbd';
import { useShortcut } from '@/components/ui/navigation/use-shortcut';

/** A search field with an accessible `label`. `/` focuses it, Escape leaves it. */
export function SearchInput({
  label,
  onSearch,
  className,
  ...rest
}: Omit<ComponentProps<'input'>, 'type' | 'prefix'> & {
  label: string;
  /** Called with the text on every change. */
  onSearch?: (text: string) => void;
}) {
  const wrapper = useRef<HTMLSpanElement>(null);
  useShortcut('/', 'Search', () => wrapper.current?.querySelector('input')?.focus());
  return (
    <span ref={wrapper} className={className}>
      <Input
        type="search"
        aria-label={label}
        placeholder={label}
        autoComplete="off"
        enterKeyHint="search"
        prefix={<Search aria-hidden />}
        suffix={
          <span className="max-md:hidden">
            <Kbd>/</Kbd>
          </span>
        }
        {...rest}
        onChange={(event) => {
          rest.onChange?.(event);
          onSearch?.(event.target.value);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Escape') event.currentTarget.blur();
        }}
      />
    </span>
  );
}
