'use client';

import { ChevronDown } from 'lucide-react';
import Link from 'next/link';
import { usePathname } from 'next/navigation';

export type DocsLink = { href: string; label: string };

const link =
  'relative -ml-px flex h-9 items-center border-l-2 border-transparent pl-4 font-medium text-muted hover:text-ink aria-[current=page]:border-accent aria-[current=page]:text-ink max-lg:h-11';

function Links({ links }: { links: DocsLink[] }) {
  const pathname = usePathname();
  return (
    <ul className="border-l">
      {links.map((each) => (
        <li key={each.href}>
          <Link href={each.href} aria-current={pathname === each.href ? 'page' : undefined} className={link}>
            {each.label}
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** The sections of the API reference: a sidebar on wide screens, collapsed above the text on narrow ones. */
export function DocsNav({ links }: { links: DocsLink[] }) {
  const pathname = usePathname();
  const current = links.find((each) => each.href === pathname);
  return (
    <nav aria-label="API reference">
      <div className="sticky top-20 max-lg:hidden">
        <Links links={links} />
      </div>
      <details key={pathname} className="group rounded border bg-surface lg:hidden">
        <summary className="flex min-h-11 cursor-pointer items-center justify-between px-4 font-medium marker:content-none">
          {current?.label ?? 'Sections'}
          <ChevronDown aria-hidden className="size-4 text-muted group-open:rotate-180" />
        </summary>
        <div className="border-t px-4 py-3">
          <Links links={links} />
        </div>
      </details>
    </nav>
  );
}
