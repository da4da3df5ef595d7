'use client';

import { BookOpen, House, LayoutDashboard, Swords, Trophy, UsersRound } from 'lucide-react';
import Link from 'next/link';
import { usePathname } from 'next/navigation';
import { AccountMenu } from '@/components/shell/account-menu';
import { CommandMenu, type ShellCommand } from '@/components/shell/command-menu';
import { Wordmark } from '@/components/shell/logo';
import type { ShellViewer } from '@/components/shell/types';
import { ThemeToggle } from '@/components/ui/navigation/theme-toggle';

/** `also`: pages that belong to it and begin otherwise. */
type HeaderLink = { href: string; label: string; phone?: string; also?: string };

const links: HeaderLink[] = [
  { href: '/tournaments', label: 'Tournaments' },
  { href: '/docs/api', label: 'API' },
];

const places: ShellCommand[] = [
  { group: 'Go to', label: 'Home', href: '/', icon: <House aria-hidden /> },
  { group: 'Go to', label: 'Tournaments', href: '/tournaments', icon: <Trophy aria-hidden />, keywords: ['events'] },
  { group: 'Go to', label: 'API reference', href: '/docs/api', icon: <BookOpen aria-hidden />, keywords: ['docs'] },
];

const ownPlaces: ShellCommand[] = [
  { group: 'Go to', label: 'My tournaments', href: '/me', icon: <Swords aria-hidden />, keywords: ['check in'] },
  {
    group: 'Go to',
    label: 'My teams',
    href: '/teams',
    icon: <UsersRound aria-hidden />,
    keywords: ['invite', 'roster'],
  },
  { group: 'Go to', label: 'Organize', href: '/dashboard', icon: <LayoutDashboard aria-hidden /> },
];

/** The bar of the public pages. */
export function SiteHeader({ viewer }: { viewer: ShellViewer | null }) {
  const pathname = usePathname();
  const own: HeaderLink[] = viewer ? [{ href: '/me', label: 'My tournaments', phone: 'Mine', also: '/teams' }] : [];
  return (
    <header className="sticky top-0 z-30 border-b bg-page">
      <div className="mx-auto flex h-14 max-w-6xl items-center gap-1 px-4 sm:gap-2 sm:px-6">
        <Link href="/" aria-label="Laurel, home" className="mr-2 rounded sm:mr-5">
          <Wordmark className="max-sm:[&>span]:sr-only" />
        </Link>
        <nav aria-label="Main" className="flex h-full items-stretch gap-4 sm:gap-6">
          {[...links, ...own].map((link) => {
            const current = [link.href, link.also].some((href) => href && `${pathname}/`.startsWith(`${href}/`));
            return (
              <Link
                key={link.href}
                href={link.href}
                aria-current={current ? 'page' : undefined}
                className="-mb-px flex items-center border-b-2 border-transparent font-medium text-muted hover:text-ink aria-[current=page]:border-accent aria-[current=page]:text-ink"
              >
                {link.phone ? (
                  <>
                    <span className="sm:hidden">{link.phone}</span>
                    <span className="max-sm:hidden">{link.label}</span>
                  </>
                ) : (
                  link.label
                )}
              </Link>
            );
          })}
        </nav>
        <div className="ml-auto flex items-center sm:gap-1">
          <span className="max-sm:hidden">
            <CommandMenu commands={viewer ? [...places, ...ownPlaces] : places} />
          </span>
          <span className="max-sm:hidden">
            <ThemeToggle />
          </span>
          <AccountMenu viewer={viewer} />
        </div>
      </div>
    </header>
  );
}
