import type { Pool, QueryResultRow } from 'pg';
import { isTimeout, reportLimits, reportPools } from '@/server/db';
import { refuse } from '@/server/errors';
import { Allowance } from '@/server/limits/allowance';
import { FairQueue } from '@/server/worker/fair-queue';

/** The statements of an account run one after another; accounts take turns. */
const queueOf = ({ options: { max } }: Pool) =>
  new FairQueue({ running: [max, 1], waiting: 4_000, waitingOfOwner: 400 });
const queues = { quick: queueOf(reportPools.quick), slow: queueOf(reportPools.slow) };

/** Whose statement was not quick has the next ones run in the slow lane, for so long or until one is quick there. */
const slowForMs = 60_000;
const maxKnown = 10_000;
const slowUntil = new Map<string, number>();

/**
 * An account has the quick connections for so many milliseconds at once, and for a tenth of the time in the long run: what is
 * quick takes a processor too, and those of ten accounts that never end would leave none to others.
 */
const quick = new Allowance({ atOnceMs: 500, share: 1 / 10 });

type Statement = { text: string; values: unknown[] };

const isSlow = (account: string) => performance.now() < (slowUntil.get(account) ?? 0) || quick.isSpent(account);

/** @returns null where the statement was not quick, or was left out because those before it of the account took too long */
function runQuick<Row extends QueryResultRow>(account: string, statement: Statement): Promise<Row[] | null> {
  return queues.quick.run({ owner: account }, async () => {
    if (isSlow(account)) return null;
    const began = performance.now();
    try {
      return (await reportPools.quick.query<Row>(statement)).rows;
    } catch (error) {
      if (!isTimeout(error)) throw error;
      if (slowUntil.size >= maxKnown) slowUntil.clear();
      // Before the turn ends: the account's next statement begins with it.
      slowUntil.set(account, performance.now() + slowForMs);
      return null;
    } finally {
      quick.spend(account, performance.now() - began);
    }
  });
}

/**
 * Runs a statement that counts, or passes over, as many rows as a project, a match or an account has, and those of one account one
 * after another: whoever has millions of them neither keeps the database from others nor makes those wait who have few.
 * @param account whose request it is for
 * @throws OVERLOADED (503) where there is too much to read
 */
export async function report<Row extends QueryResultRow>(account: string, statement: Statement): Promise<Row[]> {
  const rows = isSlow(account) ? null : await runQuick<Row>(account, statement);
  if (rows) return rows;
  try {
    return await queues.slow.run({ owner: account }, async () => {
      const began = performance.now();
      const found = (await reportPools.slow.query<Row>(statement)).rows;
      // It was quick after all: the database was busy with others before.
      if (performance.now() - began < reportLimits.quick.maxMs) slowUntil.delete(account);
      return found;
    });
  } catch (error) {
    if (!isTimeout(error)) throw error;
    throw refuse('OVERLOADED', { message: 'There is too much to count. Ask for less, such as a shorter time.' });
  }
}
