import {
  KeyRound,
  LayoutDashboard,
  type LucideIcon,
  Settings,
  ShieldCheck,
  Trophy,
  Users,
  Webhook,
} from 'lucide-react';
import type { ShellProject } from '@/components/shell/types';
import { can, type Permission } from '@/domain/projects/permissions';

export type DashboardLink = { href: string; label: string; icon: LucideIcon; exact?: boolean };

/** The pages of a project that the viewer's role can open. The first three are in the bottom bar on phones. */
export function dashboardLinks(project: ShellProject): DashboardLink[] {
  const base = `/dashboard/${project.slug}`;
  const links: [needs: Permission, link: DashboardLink][] = [
    ['project:read', { href: base, label: 'Overview', icon: LayoutDashboard, exact: true }],
    ['tournaments:read', { href: `${base}/tournaments`, label: 'Tournaments', icon: Trophy }],
    // Every member can leave on this page, so all of them see it.
    ['project:read', { href: `${base}/members`, label: 'Members', icon: Users }],
    ['anticheat:read', { href: `${base}/anti-cheat`, label: 'Anti-cheat', icon: ShieldCheck }],
    ['keys:read', { href: `${base}/api-keys`, label: 'API keys', icon: KeyRound }],
    ['webhooks:read', { href: `${base}/webhooks`, label: 'Webhooks', icon: Webhook }],
    ['project:write', { href: `${base}/settings`, label: 'Settings', icon: Settings }],
  ];
  return links.flatMap(([needs, link]) => (can(project.role, needs) ? [link] : []));
}

/** Whether `pathname` is the link's page or a page below it. */
export function isCurrent(link: DashboardLink, pathname: string): boolean {
  return link.exact ? pathname === link.href : `${pathname}/`.startsWith(`${link.href}/`);
}
