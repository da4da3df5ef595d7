import pg from 'pg';

/**
 * What the process sends by itself or for many changes together: notices to other processes, and the listener's
 * heartbeat.
 */
const shared = /pg_notify\('laurel_event'|^SELECT 1$/;

/** The texts of the statements that this process sends to PostgreSQL during a run, BEGIN and COMMIT included. */
export async function statementsOf(run: () => Promise<unknown>): Promise<string[]> {
  const texts: string[] = [];
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function counted(this: pg.Client, ...args: unknown[]) {
    const [first] = args;
    const text = typeof first === 'string' ? first : (first as { text: string }).text;
    if (!shared.test(text)) texts.push(text);
    return Reflect.apply(query, this, args);
  } as typeof query;
  try {
    await run();
  } finally {
    pg.Client.prototype.query = query;
  }
  return texts;
}
