import { stepsOf } from '@/domain/network/address-ranges';
import { db } from '@/server/db';
import { BoundedCache } from '@/server/limits/bounded-cache';
import type { Turn } from '@/server/worker/fair-queue';

/**
 * Whose turn something of a project takes, where many have something to be done, as SQL: the block's of addresses from which the project
 * was created, or its account's where that is not known. Projects cost nothing: with a turn for each, one person could have all.
 * @param projectId expression with its id; of a project that is gone, or of none, there is no turn (null)
 */
export const projectTurnSql = (projectId: string) =>
  `(SELECT coalesce(o."createdFrom", o."createdById", o."id") FROM "project" o WHERE o."id" = ${projectId})`;

/** A turn of a project, by its block of addresses, its account and itself. */
type ProjectTurn = Turn & Required<Pick<Turn, 'caller'>>;

/** The steps in which a project takes turns: the block of addresses from which it was created, the account that did, and itself. */
export type ProjectSteps = readonly [block: string, account: string, project: string];

/** The steps of a project. Where the block is not known, the account stands for it, and without an account the project. */
export function stepsOfProject({
  id,
  createdFrom,
  createdById,
}: {
  id: string;
  createdFrom: string | null;
  createdById: string | null;
}): ProjectSteps {
  const account = createdById ?? id;
  return [createdFrom ?? account, account, id];
}

/**
 * Whose turn a request takes: its network's or, if it comes with a key, that of the key's project, wherever it comes from, since one person
 * can have any number of projects.
 * @param caller tells those apart who have the same steps
 */
export function turnOfCaller({
  ip,
  caller,
  project,
}: {
  ip: string;
  caller: string;
  project?: ProjectSteps;
}): Required<Pick<Turn, 'owner' | 'caller' | 'origin'>> {
  const network = stepsOf(ip);
  const [owner, ...steps] = project ?? network;
  return { owner, caller: [...steps, caller], origin: [network[0], network[1]] };
}

/** Turns by project. Who created one, and from where, never changes. */
const known = new BoundedCache<ProjectTurn>(10_000);

const turnSelect = { id: true, createdFrom: true, createdById: true } as const;

/**
 * The turns of something in each of several projects, by their ids: the block of addresses from which a project was created has one,
 * whatever its accounts; those take turns in it, and so do the projects of each.
 */
export async function turnsOfProjects(projectIds: Iterable<string>): Promise<Map<string, ProjectTurn>> {
  const ids = [...new Set(projectIds)];
  const turns = new Map(ids.map((id) => [id, known.get(id)]));
  const unknown = ids.filter((id) => !turns.get(id));
  const projects =
    unknown.length > 0 ? await db.project.findMany({ where: { id: { in: unknown } }, select: turnSelect }) : [];
  for (const project of projects) {
    const [owner, ...caller] = stepsOfProject(project);
    const turn: ProjectTurn = { owner, caller };
    known.put(project.id, { owner, size: 1, value: turn });
    turns.set(project.id, turn);
  }
  // One that is gone has a turn of its own.
  return new Map([...turns].map(([id, turn]) => [id, turn ?? { owner: id, caller: [id, id] }]));
}

/** The same of one. */
export async function turnOfProject(projectId: string): Promise<ProjectTurn> {
  const [turn] = (await turnsOfProjects([projectId])).values();
  if (!turn) throw new Error('every project has a turn');
  return turn;
}

/**
 * The projects of some rows and their turns, `"turns" ("projectId", "turn")`, as the first common table expressions of a statement. The
 * projects are found one after another in an index that begins with them, so that the rows of each, however many, are not read.
 * @param rows such as `"detection" r WHERE r."aiVerdictDueAt" IS NOT NULL`
 */
export const turnsOfRowsSql = (rows: string) => `
  WITH RECURSIVE "projects" AS (
    (SELECT r."projectId" FROM ${rows} ORDER BY r."projectId" LIMIT 1)
    UNION ALL
    SELECT (SELECT r."projectId" FROM ${rows} AND r."projectId" > p."projectId" ORDER BY r."projectId" LIMIT 1)
    FROM "projects" p WHERE p."projectId" IS NOT NULL
  ), "turns" AS MATERIALIZED (
    SELECT p."projectId", ${projectTurnSql('p."projectId"')} AS "turn" FROM "projects" p WHERE p."projectId" IS NOT NULL
  )`;
