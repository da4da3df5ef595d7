import { pool } from '@/server/db';
import { logger } from '@/server/logger';

const everyMs = 60_000;
const maxKnown = 10_000;

/** @returns a function that records the use of a credential, at most once a minute, without making the caller wait */
export function lastUseOf(table: 'api_key' | 'personal_access_token'): (id: string) => void {
  const usedAt = new Map<string, number>();
  return (id) => {
    const now = Date.now();
    if (now - (usedAt.get(id) ?? 0) < everyMs) return;
    if (usedAt.size >= maxKnown) usedAt.clear();
    usedAt.set(id, now);
    pool
      .query(
        `UPDATE ${table} SET "lastUsedAt" = now()
         WHERE id = $1 AND ("lastUsedAt" IS NULL OR "lastUsedAt" < now() - interval '1 minute')`,
        [id],
      )
      .catch((error: unknown) => logger.warn({ err: error, table }, 'could not record the use of a credential'));
  };
}
