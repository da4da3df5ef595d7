import { setTimeout as pause } from 'node:timers/promises';
import type { Pool, QueryResultRow } from 'pg';
import { isTimeout, reportLimits, reportPools } from '@/server/db';
import { refuse } from '@/server/errors';
import { Allowance } from '@/server/limits/allowance';
import { FairQueue, type Turn } from '@/server/worker/fair-queue';

/** Whose request a statement is for: a block of addresses, and in it the account or network; or the steps of a project. */
export type Asker = readonly string[];

/**
 * The statements of an account or network run one after another, and all take turns. Those of a block, which one person may have
 * with any number of accounts, leave a connection to others.
 */
const waiting = { waiting: 4_000, waitingOfOwner: 400 };
const queueOf = ({ options: { max } }: Pool, ofOwner: number) =>
  new FairQueue({ running: [max, ofOwner, 1], ...waiting });
const queues = {
  quick: queueOf(reportPools.quick, reportPools.quick.options.max - 1),
  slow: queueOf(reportPools.slow, 1),
};

/** The turn of whoever asks, and the account or network that statements are counted for. */
function turnOf(asker: Asker): { turn: Turn; counted: string } {
  const [owner = '', counted = owner, ...further] = asker;
  return { turn: { owner, caller: [counted, ...further] }, counted };
}

/** Whoever had a statement that was not quick has the next ones run in the slow lane, for so long or until one is quick there. */
const slowForMs = 60_000;
const maxKnown = 10_000;
const slowUntil = new Map<string, number>();

/**
 * An account or network has the quick connections for so many milliseconds at once, and for a tenth of the time in the long run:
 * what is quick takes a processor too, and those of ten that never end would leave none to others.
 */
const quick = new Allowance({ atOnceMs: 500, share: 1 / 10 });

/**
 * An account or network has the slow connections for so many milliseconds at once, and for a quarter of the time in the long run:
 * past that it rests after each statement for three times as long as that took.
 */
const slow = new Allowance({ atOnceMs: 5_000, share: 1 / 4 });
const slowLines = new FairQueue({ running: [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 1], ...waiting });
const restFactor = 3;

type Statement = { text: string; values: unknown[] };

const isSlow = (counted: string) => performance.now() < (slowUntil.get(counted) ?? 0) || quick.isSpent(counted);

/** @returns null where the statement was not quick, or was left out because those before it of the same asker took too long */
function runQuick<Row extends QueryResultRow>(
  { turn, counted }: ReturnType<typeof turnOf>,
  statement: Statement,
): Promise<Row[] | null> {
  return queues.quick.run(turn, async () => {
    if (isSlow(counted)) return null;
    const began = performance.now();
    try {
      return (await reportPools.quick.query<Row>(statement)).rows;
    } catch (error) {
      if (!isTimeout(error)) throw error;
      if (slowUntil.size >= maxKnown) slowUntil.clear();
      // Before the turn ends: the next statement of the same asker begins with it.
      slowUntil.set(counted, performance.now() + slowForMs);
      return null;
    } finally {
      quick.spend(counted, performance.now() - began);
    }
  });
}

function runSlow<Row extends QueryResultRow>(
  { turn, counted }: ReturnType<typeof turnOf>,
  statement: Statement,
): Promise<Row[]> {
  let tookMs = 0;
  const inLine = () =>
    queues.slow.run(turn, async () => {
      const began = performance.now();
      try {
        const { rows } = await reportPools.slow.query<Row>(statement);
        // It was quick after all: the database was busy with others before.
        if (performance.now() - began < reportLimits.quick.maxMs) slowUntil.delete(counted);
        return rows;
      } finally {
        tookMs = performance.now() - began;
        slow.spend(counted, tookMs);
      }
    });
  return new Promise((resolve, reject) => {
    const restAfter = async (begun: Promise<Row[]>) => {
      // The answer does not wait for the rest.
      void begun.then(resolve, reject);
      await begun.catch(() => undefined);
      if (slow.isSpent(counted)) await pause(tookMs * restFactor);
    };
    slowLines.run(turn, inLine, restAfter).catch(reject);
  });
}

/**
 * Runs a statement that counts, or passes over, as many rows as a project, a match or an account has, and those of one account or
 * network one after another: whoever has millions of them neither keeps the database from others nor makes those wait who have few.
 * @throws OVERLOADED (503) where there is too much to read
 */
export async function report<Row extends QueryResultRow>(asker: Asker, statement: Statement): Promise<Row[]> {
  const asking = turnOf(asker);
  const rows = isSlow(asking.counted) ? null : await runQuick<Row>(asking, statement);
  if (rows) return rows;
  try {
    return await runSlow<Row>(asking, statement);
  } catch (error) {
    if (!isTimeout(error)) throw error;
    throw refuse('OVERLOADED', { message: 'There is too much to count. Ask for less, such as a shorter time.' });
  }
}
