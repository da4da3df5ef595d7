import pg from 'pg';
import { onTestFinished } from 'vitest';
import { env } from '@/env';
import { db } from '@/server/db';
import { until } from '@/test/receiver';

/**
 * Runs a statement in a transaction of another connection, which keeps its locks until they are released, at the latest when the test ends.
 * @returns the release, which rolls the transaction back
 */
export async function holdLock(text: string, values: unknown[] = []): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: env.DATABASE_URL });
  await client.connect();
  // Ends before the test does, and says what could not be had.
  await client.query("SET lock_timeout = '60s'");
  await client.query('BEGIN');
  await client.query(text, values);
  const release = () => client.end();
  onTestFinished(release);
  return release;
}

/** How many statements in the database wait for locks. */
export async function waiting(): Promise<number> {
  const [row] = await db.$queryRaw<{ waiting: number }[]>`
    SELECT count(*)::int AS waiting FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  return row?.waiting ?? 0;
}

/** Waits until a statement in the database waits for a lock. */
export const someoneWaits = (): Promise<unknown> => until(async () => (await waiting()) > 0);
