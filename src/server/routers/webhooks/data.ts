import type { ProjectAuditAction } from '@/domain/projects/audit-actions';
import { can } from '@/domain/projects/permissions';
import type { Prisma } from '@/generated/prisma/client';
import { db, type Tx } from '@/server/db';
import { refuse } from '@/server/errors';
import { audit, type Origin } from '@/server/events/emit';

/**
 * Projects whose webhooks a user may manage.
 * @param projectId only this one
 * @throws NOT_FOUND when not a member of `projectId`, FORBIDDEN when the user manages no webhooks
 */
export async function administeredProjects(userId: string, projectId?: string): Promise<string[]> {
  const members = await db.member.findMany({ where: { userId, projectId }, select: { projectId: true, role: true } });
  if (projectId !== undefined && members.length === 0) {
    throw refuse('NOT_FOUND', { message: 'There is no such project, or you are not a member of it.' });
  }
  const managed = members.filter(({ role }) => can(role, 'webhooks:read'));
  if (managed.length === 0) throw refuse('FORBIDDEN');
  return managed.map((member) => member.projectId);
}

/** Writes the audit entry of a change to a subscription. */
export function auditSubscription(
  tx: Tx,
  by: Origin,
  { id, projectId }: { id: string; projectId: string },
  action: ProjectAuditAction,
  details: Prisma.InputJsonObject = {},
): Promise<void> {
  return audit(tx, by, { projectId, action, targetType: 'webhook_subscription', targetId: id, details });
}
