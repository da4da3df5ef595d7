import type { ShellProject } from '@/components/shell/types';

export type Role = ShellProject['role'];

/** Roles from the most to the least, with what each may do. */
export const roleWords: Record<Role, { word: string; may: string }> = {
  OWNER: { word: 'Owner', may: 'Everything, owners included.' },
  ADMIN: { word: 'Admin', may: 'Members, API keys, webhooks, settings and every tournament.' },
  ORGANIZER: { word: 'Organizer', may: 'Everything in tournaments, nothing else in the project.' },
  MODERATOR: { word: 'Moderator', may: 'Sees entrants with their answers and contact, and moderates matches.' },
  MEMBER: { word: 'Member', may: 'Sees every tournament of the project, drafts included.' },
};

const order: Role[] = ['MEMBER', 'MODERATOR', 'ORGANIZER', 'ADMIN', 'OWNER'];

/** Whether `role` is at least `least`; what a page offers follows it, what is allowed the server decides. */
export function isAtLeast(role: Role, least: Role): boolean {
  return order.indexOf(role) >= order.indexOf(least);
}

/** Roles that someone with `role` may give: none above their own. */
export function grantableRoles(role: Role): Role[] {
  return isAtLeast(role, 'ADMIN') ? order.filter((each) => isAtLeast(role, each)).reverse() : [];
}

/** Plans as people read them. */
export const planWords = { free: 'Free', pro: 'Pro', enterprise: 'Enterprise' } as const;
