import { type ProjectRole, projectRoles, roleWords } from '@/domain/projects/roles';

/**
 * The lowest role that has each permission; the roles above it have it too. The server enforces this table, and pages ask
 * it what to offer.
 */
const minimumRole = {
  'project:read': 'MEMBER',
  'project:write': 'ADMIN',
  'members:read': 'ADMIN',
  'members:write': 'ADMIN',
  'keys:read': 'ADMIN',
  'keys:write': 'ADMIN',
  'webhooks:read': 'ADMIN',
  'webhooks:write': 'ADMIN',
  'audit:read': 'ADMIN',
  'tournaments:read': 'MEMBER',
  'tournaments:write': 'ORGANIZER',
  'participants:read': 'MODERATOR',
  'participants:moderate': 'MODERATOR',
  'participants:write': 'ORGANIZER',
  'matches:moderate': 'MODERATOR',
  'anticheat:read': 'MODERATOR',
  'anticheat:review': 'MODERATOR',
  'anticheat:write': 'ORGANIZER',
} as const satisfies Record<string, ProjectRole>;

export type Permission = keyof typeof minimumRole;

const isAtLeast = (role: ProjectRole, minimum: ProjectRole) =>
  projectRoles.indexOf(role) <= projectRoles.indexOf(minimum);

/** Whether a role in a project has a permission. */
export function can(role: ProjectRole | null | undefined, permission: Permission): boolean {
  return role != null && isAtLeast(role, minimumRole[permission]);
}

/** Whether a permission is for more than looking. */
export function writes(permission: Permission): boolean {
  return !permission.endsWith(':read');
}

/** The roles that have a permission, the most powerful first. */
export function rolesWith(permission: Permission): ProjectRole[] {
  return projectRoles.filter((role) => can(role, permission));
}

/** The roles that have a permission, as the subject of a sentence: `Owners and admins`. */
export function whoCan(permission: Permission): string {
  const words = new Intl.ListFormat('en').format(rolesWith(permission).map((role) => roleWords[role].plural));
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Whether someone with `actor` may grant or remove `role`: only up to their own. */
export function canGrant(actor: ProjectRole, role: ProjectRole): boolean {
  return can(actor, 'members:write') && isAtLeast(actor, role);
}

/** The roles that someone with `actor` may grant, the most powerful first. */
export function grantableRoles(actor: ProjectRole): ProjectRole[] {
  return projectRoles.filter((role) => canGrant(actor, role));
}

/** Whether a change of role takes the management of API keys away. */
export function losesKeys(from: ProjectRole, to: ProjectRole): boolean {
  return can(from, 'keys:write') && !can(to, 'keys:write');
}
