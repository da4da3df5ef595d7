import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Allowance } from '@/server/limits/allowance';
import { metered, type ThreadMeter } from '@/server/limits/thread-meter';
import { FairQueue, type Turn } from '@/server/worker/fair-queue';

/**
 * Of what the database sends for a request, bytes that do not count, and further ones that take the thread for a millisecond until
 * they are a response: most of them arrive before the answer is whole, when no meter runs.
 */
export const freeBytes = 64 * 1024;
export const bytesPerMs = 8 * 1024;

const countedMs = ({ ms, bytes }: ThreadMeter): number => Math.max(0, ms, (bytes - freeBytes) / bytesPerMs);

/** What the requests of each payer may take of the thread: a little at once, and a tenth of the time in the long run. */
const allowance = new Allowance({ atOnceMs: 100, share: 0.1 });

/**
 * What is past that is done one at a time, and then others may have the thread for as long again; its payer rests for so many
 * times as long.
 */
const restFactor = 3;
const maxRestMs = 10_000;
const limits = { waiting: 8_000, waitingOfOwner: 2_000 };
const payers = new FairQueue({ running: [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 1], ...limits });
const large = new FairQueue({ running: [1], ...limits });

/** Milliseconds after which the next owner's begins in any case: what has not ended waits for something else. */
const turnMs = 250;

/**
 * What the second longest of a payer's requests of a kind took lately is expected of each: nobody knows before which are long, and
 * one alone may have waited for what a process does once.
 */
const expectedForMs = 600_000;
const maxExpected = 50_000;
const taken = new Map<string, { longest: number; second: number; at: number }>();

function takenBy(key: string): { longest: number; second: number } {
  const last = taken.get(key);
  return last && performance.now() - last.at < expectedForMs ? last : { longest: 0, second: 0 };
}

function remember<Value>(kept: Map<string, Value>, key: string, value: Value): void {
  kept.delete(key);
  kept.set(key, value);
  const [oldest] = kept.keys();
  if (kept.size > maxExpected && oldest) kept.delete(oldest);
}

function noteTaken(key: string, ms: number): void {
  const { longest, second } = takenBy(key);
  if (ms === 0 || ms < second) return;
  remember(taken, key, { longest: Math.max(longest, ms), second: Math.min(longest, ms), at: performance.now() });
}

/** What the last two requests of a payer for exactly the same took, the newest first. */
const lately = new Map<string, readonly [number, number]>();

type Line = 'short' | 'new' | 'long';

/**
 * The line of its payer that a request waits in. Whoever floods a network with what takes long, or with what nobody there has asked
 * for before, does not hold up its other callers, whose requests took little lately. One of two can have taken long by chance.
 */
function lineOf(target: string | undefined): Line {
  if (target === undefined) return 'long';
  const last = lately.get(target);
  if (!last) return 'new';
  return Math.min(...last) > 0 ? 'long' : 'short';
}

const notBegun = Symbol('not begun');

/**
 * Who pays for a request: an account, a project, or a network where nobody knows the account; and what it calls. `target` is
 * exactly what it asks for, where several people or keys pay together. `atLeastMs` is known before: what it takes of the thread in pieces
 * that are too short to be counted.
 */
export type Payment = { payer: string; kinds: readonly string[]; target?: string; atLeastMs?: number };

/**
 * Does work at the pace of who pays for it. What takes the thread for long, as requests of its kind did before, is done one after
 * the other; what takes little does not wait for that.
 * @param inTurn does work when it is its turn
 * @throws OVERLOADED when too many wait, and the signal's reason when the client has gone before that
 */
export async function atPace<Result>(
  { payer, kinds, target, atLeastMs = 0, ...turn }: Turn & Payment,
  work: () => Promise<Result>,
  inTurn: <Begun>(begin: () => Promise<Begun>) => Promise<Begun>,
): Promise<Result> {
  const keys = [...new Set(kinds)].map((kind) => `${payer} ${kind}`);
  const asked = target && `${payer} ${createHash('sha256').update(target).digest('base64url')}`;
  const expectedMs = () => Math.max(atLeastMs, ...keys.map((key) => takenBy(key).second));
  const mustWait = (ms: number) => ms > 0 && allowance.isSpent(payer, ms);
  const measured = (onEnd: (ms: number) => void) =>
    metered(work, (meter) => {
      const ms = countedMs(meter);
      for (const key of keys) noteTaken(key, ms);
      if (asked) remember(lately, asked, [ms, lately.get(asked)?.[0] ?? ms]);
      onEnd(Math.max(atLeastMs, ms));
    });
  const begin = async (): Promise<Result | typeof notBegun> => {
    const reserved = expectedMs();
    if (mustWait(reserved)) return notBegun;
    allowance.spend(payer, reserved);
    return measured((ms) => allowance.spend(payer, ms - reserved));
  };
  if (!mustWait(expectedMs())) {
    const result = await inTurn(begin);
    if (result !== notBegun) return result;
  }
  return new Promise((resolve, reject) => {
    const { owner, signal, size } = turn;
    // Of those who pay together, as the keys of a project do, each has its turns in a line.
    const caller = turn.caller?.at(-1) ?? '';
    const workAndRest = async () => {
      let tookMs = 0;
      const workAlone = large.run(
        { owner, signal, size },
        () =>
          inTurn(() =>
            measured((ms) => {
              tookMs = ms;
            }),
          ),
        async (begun) => {
          const ended = begun.catch(() => undefined);
          await Promise.race([ended, pause(turnMs)]);
          // The answer does not wait for the rest.
          void begun.then(resolve, reject);
          await pause(Math.min(tookMs, maxRestMs));
        },
      );
      await workAlone.catch(reject);
      await pause(Math.min(tookMs * restFactor, maxRestMs));
    };
    const waitIn = (line: Line): Promise<void> =>
      payers
        .run({ owner: payer, caller: [line, caller], signal, size }, async () => {
          // It changes when somebody else who asked for the same has had it.
          const current = lineOf(asked);
          if (current === line) await workAndRest();
          else void waitIn(current);
        })
        .catch(reject);
    void waitIn(lineOf(asked));
  });
}
