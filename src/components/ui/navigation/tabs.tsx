'use client';

import Link from 'next/link';
import { usePathname } from 'next/navigation';
import { Tabs as Radix } from 'radix-ui';
import type { ReactNode } from 'react';

const strip = 'flex gap-6 overflow-x-auto border-b [scrollbar-width:none] max-sm:-mx-4 max-sm:px-4';
const tab =
  '-mb-px flex h-11 shrink-0 items-center gap-2 border-b-2 border-transparent font-medium text-muted transition-colors hover:text-ink focus-visible:outline-offset-[-2px]';

function Count({ value }: { value?: number }) {
  if (value === undefined) return null;
  return <span className="figure rounded bg-hover px-1.5 text-xs leading-5 text-muted">{value}</span>;
}

export type TabItem = { value: string; label: ReactNode; count?: number; content: ReactNode };

/** Tabs within one page. */
export function Tabs({
  items,
  label,
  value,
  defaultValue,
  onValueChange,
}: {
  items: TabItem[];
  label: string;
  value?: string;
  defaultValue?: string;
  onValueChange?: (value: string) => void;
}) {
  return (
    <Radix.Root value={value} defaultValue={defaultValue ?? items[0]?.value} onValueChange={onValueChange}>
      <Radix.List aria-label={label} className={strip}>
        {items.map((item) => (
          <Radix.Trigger
            key={item.value}
            value={item.value}
            className={`${tab} data-[state=active]:border-accent data-[state=active]:text-ink`}
          >
            {item.label}
            <Count value={item.count} />
          </Radix.Trigger>
        ))}
      </Radix.List>
      {items.map((item) => (
        <Radix.Content key={item.value} value={item.value} className="pt-6">
          {item.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}

export type LinkTab = { href: string; label: ReactNode; count?: number; exact?: boolean };

/** Tabs that are links to pages of their own. An `exact` tab is not current on the pages below it. */
export function LinkTabs({ items, label }: { items: LinkTab[]; label: string }) {
  const pathname = usePathname();
  return (
    <nav aria-label={label} className={strip}>
      {items.map((item) => {
        const current = item.exact ? pathname === item.href : `${pathname}/`.startsWith(`${item.href}/`);
        return (
          <Link
            key={item.href}
            href={item.href}
            aria-current={current ? 'page' : undefined}
            className={`${tab} aria-[current=page]:border-accent aria-[current=page]:text-ink`}
          >
            {item.label}
            <Count value={item.count} />
          </Link>
        );
      })}
    </nav>
  );
}
