import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { FairQueue, type Turn } from './fair-queue';

/** From so many names on, a page takes the database and the thread as long as dozens of other reads. */
export const largePage = 500;

const queue = new FairQueue({ running: [1], waiting: 2_000, waitingOfOwner: 500 });
const maxRestMs = 250;

/**
 * Reads a large page when it is the turn of who asks for it. One is read at a time, and the next begins after as long again as
 * it took.
 * @throws OVERLOADED (503) when too many wait, and the signal's reason when the client has gone before its turn
 */
export function readLargePage<Result>(turn: Turn, read: () => Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const readAndRest = async () => {
      const began = performance.now();
      const reading = read();
      // The answer does not wait for the rest.
      reading.then(resolve, reject);
      await reading;
      await pause(Math.min(performance.now() - began, maxRestMs));
    };
    queue.run(turn, readAndRest).catch(reject);
  });
}
