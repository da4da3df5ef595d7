import pg from 'pg';

/**
 * What the process sends by itself or for many changes together: notices to other processes, and the listener's
 * heartbeat.
 */
const shared = /pg_notify\('laurel_event'|^SELECT 1$/;

type Sent = { text: string; values: unknown[]; by: pg.Client };

/** The statements that this process sends to PostgreSQL during a run, with their parameters where they are given with the text. */
export async function watchStatements(run: () => Promise<unknown>): Promise<Sent[]> {
  const sent: Sent[] = [];
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function watched(this: pg.Client, ...args: unknown[]) {
    const [first] = args;
    const { text, values = [] } = typeof first === 'string' ? { text: first } : (first as Omit<Sent, 'by'>);
    sent.push({ text, values, by: this });
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
