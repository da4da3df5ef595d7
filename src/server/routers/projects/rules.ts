import { canGrant } from '@/domain/projects/permissions';
import type { ProjectRole } from '@/generated/prisma/enums';

/** Milliseconds an invitation stays open. */
export const invitationLifetime = 7 * 24 * 60 * 60 * 1000;

export type InvitationStatus = 'open' | 'expired' | 'accepted' | 'revoked';

/** Where an invitation stands. */
export function invitationStatus(
  row: { acceptedAt: Date | null; revokedAt: Date | null; expiresAt: Date },
  now: Date = new Date(),
): InvitationStatus {
  if (row.acceptedAt) return 'accepted';
  if (row.revokedAt) return 'revoked';
  return row.expiresAt <= now ? 'expired' : 'open';
}

export type RoleRefusal = 'FORBIDDEN' | 'LAST_OWNER';

/**
 * Whether `actor` may turn someone's role into another (null: out of the project). People may always leave.
 * @param owners how many owners the project has now
 * @returns null when allowed
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
