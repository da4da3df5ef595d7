import { pool } from '@/server/db';
import { logger } from '@/server/logger';

const everyMs = 5 * 60_000;

const sweeps = [
  `DELETE FROM idempotency_record WHERE ctid IN
     (SELECT ctid FROM idempotency_record WHERE "expiresAt" <= now() ORDER BY "expiresAt" LIMIT 10000)`,
  // Few rows, one for each recently counted subject: an index would cost more at every count than it saves here.
  'DELETE FROM rate_limit_window WHERE "expiresAt" <= now()',
  'DELETE FROM live_stream_count WHERE "expiresAt" <= now()',
];

/**
 * Deletes expired rows from time to time. Nothing depends on it, and several processes can do it at once.
 * @returns a function that stops it
 */
export function startHousekeeping(): () => void {
  async function sweep() {
    for (const statement of sweeps) {
      await pool.query(statement).catch((error: unknown) => logger.warn({ err: error }, 'housekeeping failed'));
    }
  }
  const timer = setInterval(() => void sweep(), everyMs);
  timer.unref();
  return () => clearInterval(timer);
}
