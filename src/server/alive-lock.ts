import type pg from 'pg';

/**
 * A process shows the others that it is alive by a lock that it holds for as long as its connection is open. What it had in
 * hand is free for others as soon as PostgreSQL sees that it has died, however long its claims were to last.
 */

/** First half of the advisory lock, by what the process does; the second half is a hash of its name. */
const kinds = { executor: 1_677_721, sender: 1_677_722 };

/** Holds the lock that shows that the process called `name` is alive, until the connection ends. */
export async function holdAliveLock(client: pg.Client, kind: keyof typeof kinds, name: string): Promise<void> {
  await client.query('SELECT pg_advisory_lock_shared($1, hashtext($2))', [kinds[kind], name]);
}

/** Whether no process is alive that has the name which the SQL expression `name` gives. */
export const isDeadSql = (kind: keyof typeof kinds, name: string) => `
    (hashtext(${name})::bigint & 4294967295)::oid NOT IN (
      SELECT l.objid FROM pg_locks l JOIN pg_database d ON d.oid = l.database
      WHERE d.datname = current_database() AND l.locktype = 'advisory' AND l.classid = ${kinds[kind]} AND l.objsubid = 2 AND l.granted)`;
