import type pg from 'pg';

/** Advisory locks that serialize claims, and the dispatch of events, across processes. */
export const CLAIM_LOCK = 7_205_759_403_792_801n;
export const DISPATCH_LOCK = 7_205_759_403_792_802n;

/**
 * Runs `work` in one transaction; rolls back when it throws.
 * @param lock an advisory lock to hold for the whole transaction
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
