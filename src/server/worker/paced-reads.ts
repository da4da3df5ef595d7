import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { FairQueue, type QueueLimits, type Turn } from './fair-queue';

const maxRestMs = 250;

/**
 * Makes a line for reads that take the database and this thread as long as dozens of others. One is read at a time, when it is the
 * turn of its owner, whose next one begins after as long again as it took.
 * @returns a function that reads; it throws OVERLOADED (503) when too many wait, and the signal's reason when the client has gone
 *   before its turn
 */
function createLine(
  limits: Omit<QueueLimits, 'running'>,
): <Result>(turn: Turn, read: () => Promise<Result>) => Promise<Result> {
  const owners = new FairQueue({ running: [Number.POSITIVE_INFINITY, 1], ...limits });
  const reads = new FairQueue({ running: [1], ...limits });
  return (turn, read) =>
    new Promise((resolve, reject) => {
      const readAndRest = async () => {
        let tookMs = 0;
        const reading = reads.run({ owner: turn.owner, signal: turn.signal }, async () => {
          const began = performance.now();
          const result = await read();
          tookMs = performance.now() - began;
          return result;
        });
        // The answer does not wait for the rest.
        reading.then(resolve, reject);
        await reading;
        await pause(Math.min(tookMs, maxRestMs));
      };
      owners.run(turn, readAndRest).catch(reject);
    });
}

/** From so many names on, a page is large. */
export const largePage = 500;

/** Reads a large page. */
export const readLargePage = createLine({ waiting: 2_000, waitingOfOwner: 500 });

/** Reads a draw that is not large for the pages that watch it, of which there is one read at a time. */
export const readWatched = createLine({ waiting: 100_000, waitingOfOwner: 100_000 });
