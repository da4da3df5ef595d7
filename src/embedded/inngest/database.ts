import pg from 'pg';

/** The channel on which processes wake each other; the payload is `event` or `job`, and who says so. */
export const CHANNEL = 'local_inngest';

/** Locks that put claims, and the handing-on of events, in one order over all processes. */
export const CLAIM_LOCK = 7_205_759_403_792_801n;
export const DISPATCH_LOCK = 7_205_759_403_792_802n;
/** First half of the locks by which processes show that they live; the second is of their name. */
export const ALIVE_LOCK = 1_677_721;

/** What the executor logs through; pino fits. */
export type LocalLogger = Record<'debug' | 'info' | 'warn' | 'error', (fields: object, message: string) => void>;

/** A pool that opens nothing until it is used, and does not keep the process alive when idle. */
export function createPool(connectionString: string, max: number, logger?: LocalLogger): pg.Pool {
  const pool = new pg.Pool({ connectionString, max, allowExitOnIdle: true, application_name: 'laurel-inngest' });
  pool.on('error', (error) => logger?.warn({ err: error }, 'database connection lost'));
  return pool;
}

const CONFLICTS = new Set(['40001', '40P01']);

/** The statement never ran, or ran and was undone, because of others or of the connection; trying again can help. */
export function isTransient(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (CONFLICTS.has(code) || code.startsWith('08') || code.startsWith('57P') || code === '53300') return true;
  if (/^(ECONN|EPIPE|ETIMEDOUT|ENOENT)/.test(code)) return true;
  return (
    error instanceof Error && /Connection terminated|Client has encountered a connection error/.test(error.message)
  );
}

/**
 * Runs `work` in one transaction; rolls back when it throws.
 * @param lock an advisory lock that it holds from its first moment to its last
 */
export async function transaction<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
  lock?: bigint,
): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  // A connection lost between two statements is an event; without a listener it would end the process.
  const lost = (error: Error) => {
    broken = error;
  };
  client.on('error', lost);
  try {
    await client.query(lock === undefined ? 'BEGIN' : `BEGIN; SELECT pg_advisory_xact_lock(${lock})`);
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(lost);
    throw error;
  } finally {
    client.off('error', lost);
    client.release(broken);
  }
}

/** A text array as PostgreSQL writes it, for columns of arrays in `unnest`. */
export function arrayLiteral(values: readonly string[]): string {
  return `{${values.map((value) => `"${value.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
}

/** Resolves after `ms`, or as soon as `signal` fires. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', finish);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    if (signal?.aborted) finish();
    else signal?.addEventListener('abort', finish, { once: true });
  });
}

type Batched<Item, Result> = { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void };

/**
 * Collects items while a batch is being written and hands them on as the next one, so that many callers share a commit.
 * `write` returns one result an item, in order.
 */
export class Batcher<Item, Result> {
  private waiting: Batched<Item, Result>[] = [];
  private running: Promise<void> | null = null;

  constructor(
    private readonly max: number,
    private readonly write: (items: Item[]) => Promise<Result[]>,
  ) {}

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      this.running ??= this.drain();
    });
  }

  private async drain(): Promise<void> {
    // Callers of the same tick share the first batch too.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.waiting.length > 0) {
      const batch = this.waiting.splice(0, this.max);
      try {
        const results = await this.write(batch.map((entry) => entry.item));
        batch.forEach((entry, index) => {
          const result = results[index];
          if (result === undefined) entry.reject(new Error('The batch gave no result for this item'));
          else entry.resolve(result);
        });
      } catch (error) {
        for (const entry of batch) entry.reject(error);
      }
    }
    this.running = null;
  }
}
