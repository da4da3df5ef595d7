import { setTimeout as pause } from 'node:timers/promises';
import { turnOfProject } from '@/server/events/project-turn';
import { findLarge, type SizeKey } from '@/server/routers/matches/data-size';
import { FairQueue } from '@/server/worker/fair-queue';

/** Steps of one project at a time, of a function. Those of a project may all be due in the same second. */
const perProject = { limit: 2, key: 'event.data.projectId' };

/** And of all projects that were created from one block of addresses: in a day, one person can have thousands. */
const perTurn = { limit: 4, key: 'event.data.turn' };

/** How many steps a function has at a time, where each is of a project. Its event contains `projectId` and `turn`. */
export const inTurns: [typeof perProject, typeof perTurn] = [perProject, perTurn];

/**
 * What may wait in a line: a call that waits holds no place of the executor, but memory. Past that the newest of whoever has most
 * waiting is thrown back, to be tried again later.
 */
const waiting = { waiting: 500, waitingOfOwner: 500 };

/**
 * Changes of tournaments that functions make at a time in a process, in all and of those whose turn it is: each
 * needs a connection of the database, as the requests of everybody else do, and may wait there for another change. Worker
 * threads change what is large, with connections of their own. Of what takes long there, one at a time: two would share the
 * thread, and take longer than a transaction may. A small one is done in milliseconds unless it waits for the row of its tournament,
 * and gives its place to one of another account then.
 */
const changes = {
  small: new FairQueue({ running: [2, 1], unfinished: [6, 3, 1], ...waiting }),
  large: new FairQueue({ running: [2, 1], ...waiting }),
  long: new FairQueue({ running: [1, 1], ...waiting }),
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
 * Makes a change that is due when it is its turn: thousands of others may be due with it, or a few that take long, for
 * which nothing smaller waits.
 * @param draw that it works on; left out: none
 * @throws OVERLOADED when too many wait
 */
export async function changeInTurn<Result>(
  projectId: string,
  change: () => Promise<Result>,
  draw?: SizeKey,
): Promise<Result> {
  const size = draw ? await sizeOf(draw) : 'small';
  return changes[size].run(await turnOfProject(projectId), change, size === 'small' ? givesWay : undefined);
}

/**
 * Requests of a process to what may take as long as it is allowed to, the verdict provider and the object store: in all, for a
 * block, for an account and for a project.
 */
const questions = {
  provider: new FairQueue({ running: [8, 4, 4, 2], ...waiting }),
  store: new FairQueue({ running: [16, 4, 4, 2], ...waiting }),
};

/**
 * Asks the verdict provider or the object store when it is its turn.
 * @throws OVERLOADED when too many wait
 */
export async function askInTurn<Result>(
  whom: keyof typeof questions,
  projectId: string,
  ask: () => Promise<Result>,
): Promise<Result> {
  return questions[whom].run(await turnOfProject(projectId), ask);
}
