import { FairQueue } from '@/server/worker/fair-queue';

/** Steps of one project at a time, of a function. Those of a project may all be due in the same second. */
export const perProject = { limit: 2, key: 'event.data.projectId' };

/**
 * Changes of tournaments that functions make at a time in a process, in all and of a project: each needs a connection of
 * the database, as the requests of everybody else do.
 */
const changes = new FairQueue({ running: [2, 1], waiting: 10_000, waitingOfOwner: 10_000 });

/**
 * Makes a change that is due when it is the turn of its project: thousands of another project's may be due with it.
 * @throws OVERLOADED when too many wait
 */
export function changeInTurn<Result>(projectId: string, change: () => Promise<Result>): Promise<Result> {
  return changes.run({ owner: projectId }, change);
}

/** Requests to the verdict provider at a time of a process, in all and for a project; one may take as long as it is allowed to. */
const verdicts = new FairQueue({ running: [8, 2], waiting: 10_000, waitingOfOwner: 10_000 });

/**
 * Asks the verdict provider when it is the turn of the project.
 * @throws OVERLOADED when too many wait
 */
export function askInTurn<Result>(projectId: string, ask: () => Promise<Result>): Promise<Result> {
  return verdicts.run({ owner: projectId }, ask);
}
