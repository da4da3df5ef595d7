import { db } from '@/server/db';
import type { Turn } from '@/server/worker/fair-queue';

/**
 * Whose turn something of a project takes, where many have something to be done, as SQL: the block's of addresses from which the project
 * was created, or its account's where that is not known. Projects cost nothing: with a turn for each, one person could have all.
 * @param projectId expression with its id; of a project that is gone, or of none, there is no turn (null)
 */
export const projectTurnSql = (projectId: string) =>
  `(SELECT coalesce(p."createdFrom", p."createdById", p."id") FROM "project" p WHERE p."id" = ${projectId})`;

/**
 * The turn of something in a project: the block of addresses from which it was created has one, whatever its accounts; those take
 * turns in it, and so do the projects of each.
 */
export async function turnOfProject(projectId: string): Promise<Turn & Required<Pick<Turn, 'caller'>>> {
  const project = await db.project.findUnique({
    where: { id: projectId },
    select: { createdFrom: true, createdById: true },
  });
  const account = project?.createdById ?? projectId;
  return { owner: project?.createdFrom ?? account, caller: [account, projectId] };
}
