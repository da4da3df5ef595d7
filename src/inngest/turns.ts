import { setTimeout as pause } from 'node:timers/promises';
import { db } from '@/server/db';
import { findLarge, type SizeKey } from '@/server/routers/matches/data-size';
import { FairQueue } from '@/server/worker/fair-queue';

/** Steps of one project at a time, of a function. Those of a project may all be due in the same second. */
export const perProject = { limit: 2, key: 'event.data.projectId' };

/**
 * Changes of tournaments that functions make at a time in a process, in all and of an account with all of its projects: each
 * needs a connection of the database, as the requests of everybody else do, and may wait there for another change. Worker
 * threads change what is large, with connections of their own. Of what takes long there, one at a time: two would share the
 * thread, and take longer than a transaction may. A small one is done in milliseconds unless it waits for the row of its tournament,
 * and gives its place to one of another account then.
 */
const limitsOf = (running: number) => ({ running: [running, 1], waiting: 10_000, waitingOfOwner: 10_000 });
const changes = {
  small: new FairQueue({ ...limitsOf(2), unfinished: [6, 1] }),
  large: new FairQueue(limitsOf(2)),
  long: new FairQueue(limitsOf(1)),
};
const patienceMs = 250;
const givesWay = (begun: Promise<unknown>): Promise<unknown> =>
  Promise.race([begun.catch(() => undefined), pause(patienceMs, undefined, { ref: false })]);

async function sizeOf(key: SizeKey): Promise<keyof typeof changes> {
  const large = await findLarge(key, 'change');
  if (large === null) return 'small';
  return large.isLong === true ? 'long' : 'large';
}

/**
 * Makes a change that is due when it is the turn of the account that created its project, and there of the project: thousands of
 * another's may be due with it, or a few that take long, for which nothing smaller waits.
 * @param draw that it works on; left out: none
 * @throws OVERLOADED when too many wait
 */
export async function changeInTurn<Result>(
  projectId: string,
  change: () => Promise<Result>,
  draw?: SizeKey,
): Promise<Result> {
  const size = draw ? await sizeOf(draw) : 'small';
  const project = await db.project.findUnique({ where: { id: projectId }, select: { createdById: true } });
  const turn = { owner: project?.createdById ?? projectId, caller: [projectId] };
  return changes[size].run(turn, change, size === 'small' ? givesWay : undefined);
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
