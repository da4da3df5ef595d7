import { deleteBatchSize, deleteInBatches } from '@/server/db';
import { logger } from '@/server/logger';

const everyMs = 5 * 60_000;

/** Each is repeated while it deletes a whole batch. */
export const sweeps = [
  `DELETE FROM idempotency_record WHERE ctid IN
     (SELECT ctid FROM idempotency_record WHERE "expiresAt" <= now() ORDER BY "expiresAt" LIMIT ${deleteBatchSize})`,
  // Asked again of the row itself, which may have been counted on meanwhile.
  `DELETE FROM rate_limit_window WHERE "deletableAt" <= now() AND subject = ANY (ARRAY(
     SELECT subject FROM rate_limit_window WHERE "deletableAt" <= now() ORDER BY "deletableAt" LIMIT ${deleteBatchSize}))`,
  'DELETE FROM live_stream_count WHERE "expiresAt" <= now()',
];

/** Deletes all that has expired. */
export async function sweep(): Promise<void> {
  for (const statement of sweeps) await deleteInBatches(statement);
}

/**
 * Deletes expired rows from time to time. Nothing depends on it, and several processes can do it at once.
 * @returns a function that stops it
 */
export function startHousekeeping(): () => void {
  const timer = setInterval(() => {
    sweep().catch((error: unknown) => logger.warn({ err: error }, 'housekeeping failed'));
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}
