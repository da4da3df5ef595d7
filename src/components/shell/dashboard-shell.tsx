'use client';

import { Menu as MenuIcon, Trophy } from 'lucide-react';
import Link from 'next/link';
import { usePathname } from 'next/navigation';
import { type ReactNode, useState } from 'react';
import { AccountMenu } from '@/components/shell/account-menu';
import { CommandMenu, type ShellCommand } from '@/components/shell/command-menu';
import { type DashboardLink, dashboardLinks, isCurrent } from '@/components/shell/dashboard-nav';
import { LogoMark, Wordmark } from '@/components/shell/logo';
import { ProjectSwitcher } from '@/components/shell/project-switcher';
import { SkipLink } from '@/components/shell/skip-link';
import type { ShellProject, ShellViewer } from '@/components/shell/types';
import { ThemeToggle } from '@/components/ui/navigation/theme-toggle';
import { Sheet } from '@/components/ui/overlay/dialog';

/** The sidebar's links, drawn as a bracket: the current one has an arm. */
function SideLinks({ links, onGo }: { links: DashboardLink[]; onGo?: () => void }) {
  const pathname = usePathname();
  return (
    <ul className="border-l border-line">
      {links.map((link) => {
        const current = isCurrent(link, pathname);
        const Icon = link.icon;
        return (
          <li key={link.href}>
            <Link
              href={link.href}
              onClick={onGo}
              aria-current={current ? 'page' : undefined}
              className="relative -ml-px flex h-9 items-center gap-2.5 border-l-2 border-transparent pl-4 font-medium text-muted hover:text-ink aria-[current=page]:border-accent aria-[current=page]:text-ink max-md:h-11 aria-[current=page]:before:absolute aria-[current=page]:before:left-0 aria-[current=page]:before:w-2.5 aria-[current=page]:before:border-t-2 aria-[current=page]:before:border-accent"
            >
              <Icon aria-hidden className="size-4 shrink-0" />
              {link.label}
            </Link>
          </li>
        );
      })}
    </ul>
  );
}

function BottomLink({ link, current }: { link: DashboardLink; current: boolean }) {
  const Icon = link.icon;
  return (
    <Link
      href={link.href}
      aria-current={current ? 'page' : undefined}
      className="-mt-px flex flex-1 flex-col items-center justify-center gap-0.5 border-t-2 border-transparent text-xs text-muted aria-[current=page]:border-accent aria-[current=page]:text-ink"
    >
      <Icon aria-hidden className="size-5" />
      {link.label}
    </Link>
  );
}

/** Layout of a project's pages: sidebar, header and content. On phones, a bottom bar and a drawer replace the sidebar. */
export function DashboardShell({
  viewer,
  project,
  projects,
  commands = [],
  children,
}: {
  viewer: ShellViewer;
  project: ShellProject;
  projects: ShellProject[];
  /** Additional commands for the command menu, such as this project's tournaments. */
  commands?: ShellCommand[];
  children: ReactNode;
}) {
  const pathname = usePathname();
  const [drawer, setDrawer] = useState(false);
  const links = dashboardLinks(project);
  const all: ShellCommand[] = [
    ...links.map((link) => ({
      group: project.name,
      label: link.label,
      href: link.href,
      icon: <link.icon aria-hidden />,
    })),
    ...commands,
    ...projects
      .filter((each) => each.id !== project.id)
      .map((each) => ({ group: 'Switch project', label: each.name, href: `/dashboard/${each.slug}` })),
    { group: 'Go to', label: 'Public tournaments', href: '/tournaments', icon: <Trophy aria-hidden /> },
  ];

  return (
    <div className="min-h-dvh md:grid md:grid-cols-[15rem_minmax(0,1fr)] print:block">
      <SkipLink />
      <aside className="sticky top-0 hidden h-dvh flex-col gap-5 overflow-y-auto border-r px-4 py-4 md:flex print:hidden">
        <Link href="/" aria-label="Laurel, home" className="self-start rounded">
          <Wordmark />
        </Link>
        <ProjectSwitcher project={project} projects={projects} />
        <nav aria-label="Project">
          <SideLinks links={links} />
        </nav>
        <nav aria-label="More" className="mt-auto grid gap-1 text-muted">
          <Link href="/tournaments" className="py-1 hover:text-ink">
            Public tournaments
          </Link>
          <Link href="/docs/api" className="py-1 hover:text-ink">
            API reference
          </Link>
        </nav>
      </aside>
      <div className="flex min-h-dvh min-w-0 flex-col">
        <header className="sticky top-0 z-30 flex h-14 items-center gap-2 border-b bg-page px-4 sm:px-8 print:hidden">
          <Link href="/" aria-label="Laurel, home" className="md:hidden">
            <LogoMark className="text-accent" />
          </Link>
          <p className="min-w-0 truncate font-medium md:hidden" dir="auto">
            {project.name}
          </p>
          <div className="ml-auto flex items-center gap-1">
            <CommandMenu commands={all} />
            <span className="max-sm:hidden">
              <ThemeToggle />
            </span>
            <AccountMenu viewer={viewer} />
          </div>
        </header>
        <main
          id="main"
          tabIndex={-1}
          className="mx-auto w-full max-w-6xl flex-1 px-4 pt-6 pb-24 outline-none sm:px-8 sm:pt-8 md:pb-12"
        >
          {children}
        </main>
      </div>
      <nav
        aria-label="Project"
        className="fixed inset-x-0 bottom-0 z-30 flex h-14 border-t bg-page pb-[env(safe-area-inset-bottom)] md:hidden print:hidden"
      >
        {links.slice(0, 3).map((link) => (
          <BottomLink key={link.href} link={link} current={isCurrent(link, pathname)} />
        ))}
        <button
          type="button"
          onClick={() => setDrawer(true)}
          className="flex flex-1 flex-col items-center justify-center gap-0.5 text-xs text-muted"
        >
          <MenuIcon aria-hidden className="size-5" />
          More
        </button>
      </nav>
      <Sheet open={drawer} onOpenChange={setDrawer} title="Project menu">
        <div className="grid gap-5">
          <ProjectSwitcher project={project} projects={projects} />
          <SideLinks links={links} onGo={() => setDrawer(false)} />
          <div className="flex items-center justify-between border-t pt-3 text-muted">
            Theme
            <ThemeToggle />
          </div>
        </div>
      </Sheet>
    </div>
  );
}
