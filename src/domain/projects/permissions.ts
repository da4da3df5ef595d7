import type { Plan, ProjectRole } from '@/generated/prisma/enums';

/** What each permission needs at the least; roles above it have it too. The one table for every surface. */
const leastRole = {
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
} as const satisfies Record<string, ProjectRole>;

export type Permission = keyof typeof leastRole;

const rank: Record<ProjectRole, number> = { MEMBER: 0, MODERATOR: 1, ORGANIZER: 2, ADMIN: 3, OWNER: 4 };

/** Whether a role in a project carries a permission. */
export function can(role: ProjectRole | null | undefined, permission: Permission): boolean {
  return role != null && rank[role] >= rank[leastRole[permission]];
}

/** Whether someone with `actor` may give or take `role`: nobody hands out more than they have. */
export function canGrant(actor: ProjectRole, role: ProjectRole): boolean {
  return can(actor, 'members:write') && rank[actor] >= rank[role];
}

/** Scopes an API key can carry; data and anti-cheat scopes are never implied by one another. */
export const scopes = [
  'read:tournaments',
  'read:matches',
  'read:player_stats',
  'read:teams',
  'anticheat:session.write',
  'anticheat:detections.read',
  'anticheat:evidence.write',
] as const;
export type Scope = (typeof scopes)[number];

export type Capability = 'dataApi' | 'antiCheat';

/** What each plan includes; requests are per key over a sliding minute. */
export const plans: Record<Plan, { requestsPerMinute: number; capabilities: readonly Capability[] }> = {
  free: { requestsPerMinute: 60, capabilities: [] },
  pro: { requestsPerMinute: 600, capabilities: ['dataApi'] },
  enterprise: { requestsPerMinute: 6000, capabilities: ['dataApi', 'antiCheat'] },
};
