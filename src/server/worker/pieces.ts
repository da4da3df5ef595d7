import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import { beginPiece, endPiece, letOthersIn, meterInUse } from '@/server/limits/thread-meter';
import { FairQueue } from './fair-queue';

const queue = new FairQueue({ running: [1], waiting: 16_384, waitingOfOwner: 8_192 });

/** Milliseconds of pieces between two rounds of the event loop: most pieces take a few microseconds. */
const roundMs = 1;
let used = 0;

/**
 * Does a piece of work that takes a few milliseconds at worst, such as matching patterns that an organizer chose. Forty of
 * them in one round of the event loop would hold up everybody else, so owners take turns, and after a millisecond others do.
 * @param owner a project or tournament
 * @throws OVERLOADED when too many pieces wait
 */
export async function doPiece<Result>(owner: string, piece: () => Result): Promise<Result> {
  const inTurn = async () => {
    const began = performance.now();
    beginPiece(meterInUse());
    try {
      return piece();
    } finally {
      endPiece();
      used += performance.now() - began;
      if (used >= roundMs) {
        await setImmediate();
        used = 0;
      }
    }
  };
  endPiece();
  try {
    return await queue.run({ owner }, inTurn);
  } finally {
    // What goes on after it goes on apart from the next piece, which is somebody else's.
    await letOthersIn();
  }
}
