import { setTimeout as pause } from 'node:timers/promises';
import { Allowance } from '@/server/limits/allowance';
import { readMeters } from '@/server/limits/read-meter';
import { FairQueue, type Turn } from '@/server/worker/fair-queue';

/**
 * Of what the database sends for a request, bytes that do not count, and further ones that take the thread for a millisecond until
 * they are a response.
 */
export const freeBytes = 64 * 1024;
export const bytesPerMs = 8 * 1024;

/** What the requests of each payer may take of the thread: a little at once, and a tenth of the time in the long run. */
const allowance = new Allowance({ atOnceMs: 100, share: 0.1 });

/** What is past that is done one at a time for each owner, who then rests for so many times as long as that took the thread. */
const restFactor = 3;
const maxRestMs = 10_000;
const large = new FairQueue({ running: [Number.POSITIVE_INFINITY, 1], waiting: 8_000, waitingOfOwner: 2_000 });

/** Milliseconds after which what is done there lets the next one begin in any case: it waits for something else. */
const turnMs = 1_000;

/** The most that one request of a payer took lately is expected of each: nobody knows before which are large. */
const expectedForMs = 600_000;
const maxExpected = 10_000;
const expected = new Map<string, { ms: number; at: number }>();

function expectedOf(payer: string): number {
  const last = expected.get(payer);
  return last && performance.now() - last.at < expectedForMs ? last.ms : 0;
}

function noteTaken(payer: string, ms: number): void {
  if (ms === 0 || ms < expectedOf(payer)) return;
  if (expected.size >= maxExpected) expected.clear();
  expected.set(payer, { ms, at: performance.now() });
}

/** Does some work, and tells how many milliseconds of the thread the database sent for it. */
export async function metered<Result>(
  work: () => Result | Promise<Result>,
  onEnd: (ms: number) => void,
): Promise<Result> {
  const meter = { bytes: 0 };
  try {
    // A statement of Prisma begins when it is awaited, which has to be here.
    return await readMeters.run(meter, async () => await work());
  } finally {
    onEnd(Math.max(0, meter.bytes - freeBytes) / bytesPerMs);
  }
}

/** Resolves when who had the thread for so many milliseconds may have it again. */
export const rest = (tookMs: number): Promise<void> => pause(Math.min(tookMs * restFactor, maxRestMs));

const notBegun = Symbol('not begun');

/**
 * Does work at the pace of who pays for it: what reads much of the database, or of whom that is to be expected, is done one after
 * the other.
 * @param payer an account, a project, or a block of addresses where nobody knows the account
 * @param inTurn does work when it is its turn
 * @throws OVERLOADED when too many wait, and the signal's reason when the client has gone before that
 */
export async function atPace<Result>(
  { payer, ...turn }: Turn & { payer: string },
  work: () => Promise<Result>,
  inTurn: <Begun>(begin: () => Promise<Begun>) => Promise<Begun>,
): Promise<Result> {
  const begin = async (): Promise<Result | typeof notBegun> => {
    const reserved = expectedOf(payer);
    if (allowance.isSpent(payer, reserved)) return notBegun;
    allowance.spend(payer, reserved);
    return metered(work, (ms) => {
      noteTaken(payer, ms);
      allowance.spend(payer, ms - reserved);
    });
  };
  if (!allowance.isSpent(payer, expectedOf(payer))) {
    const result = await inTurn(begin);
    if (result !== notBegun) return result;
  }
  return new Promise((resolve, reject) => {
    const workAndRest = async () => {
      let tookMs = 0;
      const done = inTurn(() =>
        metered(work, (ms) => {
          noteTaken(payer, ms);
          tookMs = ms;
        }),
      );
      // The answer does not wait for the rest.
      done.then(resolve, reject);
      await Promise.race([done.catch(() => undefined), pause(turnMs)]);
      await rest(tookMs);
    };
    large.run(turn, workAndRest).catch(reject);
  });
}
