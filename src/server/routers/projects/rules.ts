import { canGrant } from '@/domain/projects/permissions';
import type { ProjectRole } from '@/domain/projects/roles';

export type RoleRefusal = 'FORBIDDEN' | 'LAST_OWNER';

/**
 * Why `actor` cannot change someone's role from one to another (null: remove them); null when they can. Everyone can
 * leave, except the last owner.
 * @param change.owners how many owners the project has now
 */
export function roleChangeRefusal(change: {
  actor: ProjectRole;
  self: boolean;
  from: ProjectRole;
  to: ProjectRole | null;
  owners: number;
}): RoleRefusal | null {
  const { actor, self, from, to, owners } = change;
  const leaving = self && to === null;
  if (!leaving && !(canGrant(actor, from) && (to === null || canGrant(actor, to)))) return 'FORBIDDEN';
  if (from === 'OWNER' && to !== 'OWNER' && owners <= 1) return 'LAST_OWNER';
  return null;
}
