import { KeyRound, LayoutDashboard, type LucideIcon, Settings, Trophy, Users, Webhook } from 'lucide-react';
import type { ShellProject } from '@/components/shell/types';

export type DashboardLink = { href: string; label: string; icon: LucideIcon; exact?: boolean };

/** The pages of a project that the viewer's role opens. The first three are the phone's bar. */
export function dashboardLinks(project: ShellProject): DashboardLink[] {
  const base = `/dashboard/${project.slug}`;
  const links: DashboardLink[] = [
    { href: base, label: 'Overview', icon: LayoutDashboard, exact: true },
    { href: `${base}/tournaments`, label: 'Tournaments', icon: Trophy },
    { href: `${base}/members`, label: 'Members', icon: Users },
  ];
  if (project.role === 'OWNER' || project.role === 'ADMIN') {
    links.push(
      { href: `${base}/api-keys`, label: 'API keys', icon: KeyRound },
      { href: `${base}/webhooks`, label: 'Webhooks', icon: Webhook },
      { href: `${base}/settings`, label: 'Settings', icon: Settings },
    );
  }
  return links;
}

/** Whether the page at `pathname` is the link's, or below it. */
export function isCurrent(link: DashboardLink, pathname: string): boolean {
  return link.exact ? pathname === link.href : `${pathname}/`.startsWith(`${link.href}/`);
}
