import { AsyncLocalStorage } from 'node:async_hooks';
import { openSync, readSync } from 'node:fs';
import { setImmediate as nextRound } from 'node:timers/promises';
import { letConnectionsIn } from '@/server/worker/new-connections';

/** Pieces of work that take the thread for less are ordinary. */
const countedFromMs = 10;

/** Milliseconds of the processor that this thread has had; of the clock where the system does not say. */
export const threadMs = openThreadClock();

function openThreadClock(): () => number {
  try {
    const file = openSync('/proc/thread-self/schedstat', 'r');
    const text = Buffer.alloc(64);
    // The first number is nanoseconds. Other threads and processes do not count in it, however busy the machine is.
    const read = () => Number.parseInt(text.toString('latin1', 0, readSync(file, text, 0, text.length, 0)), 10);
    // Some kernels do not count.
    if (read() > 0) return () => read() / 1_000_000;
  } catch {
    // Other systems have no such file.
  }
  return () => performance.now();
}

/** What some work has taken so far: milliseconds of this thread, by pieces of some length, and bytes that the database sent. */
export type ThreadMeter = { ms: number; bytes: number };

type Meters = {
  store: AsyncLocalStorage<ThreadMeter>;
  /** What the thread is doing, and since when. */
  current: ThreadMeter | undefined;
  since: number;
  /** Whether it is noted when this round of the event loop is over. */
  isWatched: boolean;
};

const holder = globalThis as typeof globalThis & { laurelThreadMeters?: Meters };

// Next bundles its own copy of this module; both copies share these.
holder.laurelThreadMeters ??= { store: new AsyncLocalStorage(), current: undefined, since: 0, isWatched: false };
const meters = holder.laurelThreadMeters;

/** The meter of the work that is being done, if it has one. */
export const meterInUse = (): ThreadMeter | undefined => meters.store.getStore();

/** Notes that the thread goes on with metered work, or with something else: the work begins, or the database has answered it. */
export function beginPiece(meter: ThreadMeter | undefined): void {
  meters.current = meter;
  if (!meter) return;
  meters.since = threadMs();
  if (meters.isWatched) return;
  meters.isWatched = true;
  setImmediate(() => {
    meters.isWatched = false;
    // It waits for something else, and what others do meanwhile must not count for it.
    meters.current = undefined;
  });
}

/** Counts what the work in use has taken since its piece began, if it is what the thread is doing: it ends, or asks the database. */
export function endPiece(): void {
  const { current } = meters;
  if (!current || current !== meterInUse()) return;
  const tookMs = threadMs() - meters.since;
  if (tookMs >= countedFromMs) current.ms += tookMs;
  meters.current = undefined;
}

/** Goes on with metered work without an answer of the database: the piece ends with what it can do at once. */
function goOn(meter: ThreadMeter | undefined): void {
  beginPiece(meter);
  process.nextTick(endPiece);
}

/**
 * Lets others have the thread, those that connect too, and goes on with the work in use in a later round of the event loop, where it is
 * alone until it waits again.
 */
export async function letOthersIn(): Promise<void> {
  endPiece();
  await nextRound();
  await letConnectionsIn();
  goOn(meterInUse());
}

/**
 * Does some work.
 * @param onEnd gets what it took, also when it fails
 */
export async function metered<Result>(
  work: () => Promise<Result>,
  onEnd: (meter: Readonly<ThreadMeter>) => void,
): Promise<Result> {
  const meter = { ms: 0, bytes: 0 };
  try {
    return await meters.store.run(meter, async () => {
      beginPiece(meter);
      // A statement of Prisma begins when it is awaited, which has to be here.
      const begun = (async () => await work())();
      endPiece();
      // What it does after something that is ready is still its own.
      goOn(meter);
      try {
        return await begun;
      } finally {
        endPiece();
      }
    });
  } finally {
    onEnd(meter);
  }
}
