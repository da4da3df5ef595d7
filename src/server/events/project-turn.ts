/**
 * Whose turn something of a project takes, where many have something to be done, as SQL: the block's of addresses from which the project
 * was created, or its account's where that is not known. Projects cost nothing: with a turn for each, one person could have all.
 * @param projectId expression with its id; of a project that is gone, or of none, there is no turn (null)
 */
export const projectTurnSql = (projectId: string) =>
  `(SELECT coalesce(p."createdFrom", p."createdById", p."id") FROM "project" p WHERE p."id" = ${projectId})`;
