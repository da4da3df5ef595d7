import pg from 'pg';

/** The channel on which processes wake each other. The payload is `event <sender>` or `job <sender>`. */
export const CHANNEL = 'local_inngest';

/** What this layer and the executor log through; pino fits. */
export type JobLogger = Record<'debug' | 'info' | 'warn' | 'error', (fields: object, message: string) => void>;

/** What runs every minute finds its connections open: opening several at once takes longer than its statements. */
export const idleTimeoutMillis = 90_000;

/**
 * Of every connection. Statements that look for what is due among everything look so expensive that PostgreSQL would compile them at every
 * execution, for a hundred times as long as they take.
 */
export const connectionSettings = 'SET jit = off';

/** A pool that opens no connection until it is used, and does not keep the process alive when idle. */
export function createPool(connectionString: string, max: number, logger?: JobLogger): pg.Pool {
  const application_name = 'laurel-inngest';
  const pool = new pg.Pool({
    connectionString,
    max,
    idleTimeoutMillis,
    allowExitOnIdle: true,
    application_name,
    onConnect: (client) => client.query(connectionSettings),
  });
  pool.on('error', (error) => logger?.warn({ err: error }, 'database connection lost'));
  return pool;
}

const CONFLICTS = new Set(['40001', '40P01']);

/** Whether the statement had no effect because of a conflict, a lost connection or a full disk, so that a retry can succeed. */
export function isTransient(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (CONFLICTS.has(code) || code.startsWith('08') || code.startsWith('57P') || code.startsWith('53')) return true;
  if (/^(ECONN|EPIPE|ETIMEDOUT|ENOENT)/.test(code)) return true;
  return (
    error instanceof Error &&
    /Connection terminated|Client has encountered a connection error|Query read timeout/.test(error.message)
  );
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
