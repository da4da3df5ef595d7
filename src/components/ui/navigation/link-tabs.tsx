'use client';

import Link from 'next/link';
import { usePathname } from 'next/navigation';
import type { ReactNode } from 'react';

/** The classes of a row of tabs, and of one tab. */
export const tabStrip =
  'flex gap-6 overflow-x-auto border-b [scrollbar-width:none] max-sm:-mx-4 max-sm:px-4 print:hidden';
export const tab =
  '-mb-px flex h-11 shrink-0 items-center gap-2 border-b-2 border-transparent font-medium text-muted transition-colors hover:text-ink focus-visible:outline-offset-[-2px]';

/** How many things a tab has, beside its label. */
export function TabCount({ value }: { value?: number }) {
  if (value === undefined) return null;
  return <span className="figure rounded bg-hover px-1.5 text-xs leading-5 text-muted">{value}</span>;
}

export type LinkTab = { href: string; label: ReactNode; count?: number; exact?: boolean };

/** Scrolls a row of tabs that is wider than the screen, and nothing else, so that the tab is in its middle. */
function showInStrip(link: HTMLElement | null): void {
  const strip = link?.parentElement;
  if (!link || !strip) return;
  const [inner, outer] = [link.getBoundingClientRect(), strip.getBoundingClientRect()];
  strip.scrollLeft += inner.left + inner.width / 2 - (outer.left + outer.width / 2);
}

/** Tabs that are links to pages of their own. An `exact` tab is not current on the pages below it. */
export function LinkTabs({ items, label }: { items: LinkTab[]; label: string }) {
  const pathname = usePathname();
  return (
    <nav aria-label={label} className={tabStrip}>
      {items.map((item) => {
        const current = item.exact ? pathname === item.href : `${pathname}/`.startsWith(`${item.href}/`);
        return (
          <Link
            key={item.href}
            ref={current ? showInStrip : undefined}
            href={item.href}
            aria-current={current ? 'page' : undefined}
            className={`${tab} aria-[current=page]:border-accent aria-[current=page]:text-ink`}
          >
            {item.label}
            <TabCount value={item.count} />
          </Link>
        );
      })}
    </nav>
  );
}
