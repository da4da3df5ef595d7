import pg from 'pg';
import { pool } from '@/server/db';
import { connectionSettings } from '@/server/jobs/embedded/database';

/**
 * What the process sends by itself or for many changes together: notices to other processes, and the listener's
 * heartbeat.
 */
const shared = /pg_notify\('laurel_event'|^SELECT 1$/;

type Sent = { text: string; values: unknown[]; by: pg.Client };

/**
 * The statements that this process sends to PostgreSQL during a run, with their parameters where they are given with the text. The settings
 * of a new connection are none of the run's.
 */
export async function watchStatements(run: () => Promise<unknown>): Promise<Sent[]> {
  const sent: Sent[] = [];
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function watched(this: pg.Client, ...args: unknown[]) {
    const [first] = args;
    const { text, values = [] } = typeof first === 'string' ? { text: first } : (first as Omit<Sent, 'by'>);
    if (!text.startsWith(connectionSettings)) sent.push({ text, values, by: this });
    return Reflect.apply(query, this, args);
  } as typeof query;
  try {
    await run();
  } finally {
    pg.Client.prototype.query = query;
  }
  return sent;
}

/** The texts of the statements that this process sends to PostgreSQL during a run, BEGIN and COMMIT included. */
export async function statementsOf(run: () => Promise<unknown>): Promise<string[]> {
  return (await watchStatements(run)).map(({ text }) => text).filter((text) => !shared.test(text));
}

const ROWS_READ = `
  SELECT sum(pg_stat_get_xact_tuples_returned(id) + pg_stat_get_xact_tuples_fetched(id))::int AS read
  FROM (SELECT $1::regclass AS id UNION ALL SELECT indexrelid FROM pg_index WHERE indrelid = $1::regclass) t`;

/** How many rows of a table and entries of its indexes PostgreSQL reads for a statement, which is rolled back. */
export async function countRowsRead(table: string, { text, values }: Pick<Sent, 'text' | 'values'>): Promise<number> {
  const client = await pool.connect();
  // Includes what the connection read shortly before.
  const count = async () => (await client.query<{ read: number }>(ROWS_READ, [table])).rows[0]?.read ?? 0;
  try {
    await client.query('BEGIN');
    const before = await count();
    await client.query(text, values);
    return (await count()) - before;
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}
