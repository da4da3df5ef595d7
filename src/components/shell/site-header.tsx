'use client';

import { BookOpen, House, LayoutDashboard, Swords, Trophy, UsersRound } from 'lucide-react';
import Link from 'next/link';
import { usePathname } from 'next/navigation';
import { AccountMenu } from '@/components/shell/account-menu';
import { CommandMenu, type ShellCommand } from '@/components/shell/command-menu';
import { Wordmark } from '@/components/shell/logo';
import type { ShellViewer } from '@/components/shell/types';
import { cn } from '@/components/ui/cn';
import { ThemeToggle } from '@/components/ui/navigation/theme-toggle';

/** `alsoCurrentOn` is a second path below which the link is the current one. `hideOnPhone` makes room for the others. */
type HeaderLink = { href: string; label: string; alsoCurrentOn?: string; hideOnPhone?: boolean };

const publicPages: ShellCommand[] = [
  { group: 'Go to', label: 'Home', href: '/', icon: <House aria-hidden /> },
  { group: 'Go to', label: 'Tournaments', href: '/tournaments', icon: <Trophy aria-hidden />, keywords: ['events'] },
  { group: 'Go to', label: 'API reference', href: '/docs/api', icon: <BookOpen aria-hidden />, keywords: ['docs'] },
];

const memberPages: ShellCommand[] = [
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

/** The header of the public pages. */
export function SiteHeader({ viewer }: { viewer: ShellViewer | null }) {
  const pathname = usePathname();
  const links: HeaderLink[] = [
    { href: '/tournaments', label: 'Tournaments' },
    ...(viewer ? [{ href: '/me', label: 'My tournaments', alsoCurrentOn: '/teams' }] : []),
    { href: '/docs/api', label: 'API', hideOnPhone: viewer !== null },
  ];
  return (
    <header className="print:hidden sticky top-0 z-30 border-b bg-page">
      <div className="mx-auto flex h-14 max-w-6xl items-center gap-1 px-4 sm:gap-2 sm:px-6">
        <Link href="/" aria-label="Laurel, home" className="mr-2 rounded sm:mr-5">
          <Wordmark className="max-sm:[&>span]:sr-only" />
        </Link>
        <nav aria-label="Main" className="flex h-full items-stretch gap-4 sm:gap-6">
          {links.map((link) => {
            const current = [link.href, link.alsoCurrentOn].some(
              (href) => href && `${pathname}/`.startsWith(`${href}/`),
            );
            return (
              <Link
                key={link.href}
                href={link.href}
                aria-current={current ? 'page' : undefined}
                className={cn(
                  '-mb-px flex items-center border-b-2 border-transparent font-medium text-muted hover:text-ink aria-[current=page]:border-accent aria-[current=page]:text-ink',
                  link.hideOnPhone && 'max-sm:hidden',
                )}
              >
                {link.label}
              </Link>
            );
          })}
        </nav>
        <div className="ml-auto flex items-center sm:gap-1">
          <span className="max-sm:hidden">
            <CommandMenu commands={viewer ? [...publicPages, ...memberPages] : publicPages} />
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
