import type pg from 'pg';

/** How long finished runs and dispatched events are stored. */
const RETENTION_DAYS = 7;

const BATCH = 1000;

const RUNS = `
  DELETE FROM local_inngest.runs WHERE id IN (
    SELECT id FROM local_inngest.runs WHERE ended_at < now() - $1 * interval '1 day'
    ORDER BY ended_at LIMIT $2 FOR UPDATE SKIP LOCKED)`;

const EVENTS = `
  DELETE FROM local_inngest.events WHERE id IN (
    SELECT id FROM local_inngest.events
    WHERE received_at < now() - $1 * interval '1 day' AND dispatched_at IS NOT NULL
    ORDER BY received_at LIMIT $2 FOR UPDATE SKIP LOCKED)`;

/**
 * Deletes a batch of what is older than `days`.
 * @returns whether there is more to delete
 */
export async function prune(pool: pg.Pool, days: number = RETENTION_DAYS, batch: number = BATCH): Promise<boolean> {
  let more = false;
  for (const text of [RUNS, EVENTS]) {
    const { rowCount } = await pool.query(text, [days, batch]);
    more ||= (rowCount ?? 0) >= batch;
  }
  return more;
}
