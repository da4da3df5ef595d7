import { can } from '@/domain/projects/permissions';
import { db } from '@/server/db';
import { refuse } from '@/server/errors';

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
