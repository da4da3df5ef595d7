import type { Pool, QueryResultRow } from 'pg';
import { isTimeout, reportLimits, reportPools } from '@/server/db';
import { refuse } from '@/server/errors';
import { Allowance } from '@/server/limits/allowance';
import { FairQueue, type Turn } from '@/server/worker/fair-queue';

/** Whose request a statement is for: an account, or the steps of an address. */
export type Asker = string | readonly string[];

/**
 * The statements of an account or network run one after another, and all take turns. Those of a block, which one person may have,
 * leave a connection to others.
 */
const queueOf = ({ options: { max } }: Pool) =>
  new FairQueue({ running: [max, max - 1, 1], waiting: 4_000, waitingOfOwner: 400 });
const queues = { quick: queueOf(reportPools.quick), slow: queueOf(reportPools.slow) };

/** The turn of whoever asks, and the account or network that statements are counted for. */
function turnOf(asker: Asker): { turn: Turn; counted: string } {
  const [owner = '', counted = owner, ...further] = typeof asker === 'string' ? [asker] : asker;
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

/**
 * Runs a statement that counts, or passes over, as many rows as a project, a match or an account has, and those of one account or
 * network one after another: whoever has millions of them neither keeps the database from others nor makes those wait who have few.
 * @throws OVERLOADED (503) where there is too much to read
 */
export async function report<Row extends QueryResultRow>(asker: Asker, statement: Statement): Promise<Row[]> {
  const asking = turnOf(asker);
  const { turn, counted } = asking;
  const rows = isSlow(counted) ? null : await runQuick<Row>(asking, statement);
  if (rows) return rows;
  try {
    return await queues.slow.run(turn, async () => {
      const began = performance.now();
      const found = (await reportPools.slow.query<Row>(statement)).rows;
      // It was quick after all: the database was busy with others before.
      if (performance.now() - began < reportLimits.quick.maxMs) slowUntil.delete(counted);
      return found;
    });
  } catch (error) {
    if (!isTimeout(error)) throw error;
    throw refuse('OVERLOADED', { message: 'There is too much to count. Ask for less, such as a shorter time.' });
  }
}
