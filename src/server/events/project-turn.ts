import { db } from '@/server/db';
import { BoundedCache } from '@/server/limits/bounded-cache';
import type { Turn } from '@/server/worker/fair-queue';

/**
 * Whose turn something of a project takes, where many have something to be done, as SQL: the block's of addresses from which the project
 * was created, or its account's where that is not known. Projects cost nothing: with a turn for each, one person could have all.
 * @param projectId expression with its id; of a project that is gone, or of none, there is no turn (null)
 */
export const projectTurnSql = (projectId: string) =>
  `(SELECT coalesce(p."createdFrom", p."createdById", p."id") FROM "project" p WHERE p."id" = ${projectId})`;

/** A turn of a project, by its block of addresses, its account and itself. */
type ProjectTurn = Turn & Required<Pick<Turn, 'caller'>>;

/** Turns by project. Who created one, and from where, never changes. */
const known = new BoundedCache<ProjectTurn>(10_000);

const turnSelect = { createdFrom: true, createdById: true } as const;
type Created = { createdFrom: string | null; createdById: string | null };

function turnOf(projectId: string, project: Created | null | undefined): ProjectTurn {
  const account = project?.createdById ?? projectId;
  return { owner: project?.createdFrom ?? account, caller: [account, projectId] };
}

/**
 * The turn of something in a project: the block of addresses from which it was created has one, whatever its accounts; those take
 * turns in it, and so do the projects of each.
 */
export async function turnOfProject(projectId: string): Promise<ProjectTurn> {
  const before = known.get(projectId);
  if (before) return before;
  const project = await db.project.findUnique({ where: { id: projectId }, select: turnSelect });
  const turn = turnOf(projectId, project);
  if (project) known.put(projectId, { owner: turn.owner, size: 1, value: turn });
  return turn;
}

/** The same of several projects, by their ids. */
export async function turnsOfProjects(projectIds: Iterable<string>): Promise<Map<string, ProjectTurn>> {
  const ids = [...new Set(projectIds)];
  const projects = await db.project.findMany({ where: { id: { in: ids } }, select: { id: true, ...turnSelect } });
  const byId = new Map(projects.map((project) => [project.id, project]));
  return new Map(ids.map((id) => [id, turnOf(id, byId.get(id))]));
}
