import { createHmac } from 'node:crypto';
import { env } from '@/env';
import { decryptSecret, encryptSecret } from '@/server/crypto';
import { db, pool } from '@/server/db';
import { refuse } from '@/server/errors';
import type { HttpResponse } from '@/server/http/exchange';
import { takeQuota } from '@/server/limits/take-quota';
import { takeUpTo } from '@/server/limits/take-up-to';
import { logger } from '@/server/logger';

/** A running request that has not renewed its claim for this long is taken for dead. */
const lockSeconds = 30;
const renewMs = 10_000;
/** A stored response counts as one more key for every so many bytes, because it is kept for a day. */
const bytesOfOne = 16 * 1024;

/** Headers that belong to the response itself; the others are made anew at each replay. */
const keptHeaders = ['Content-Type', 'Location', 'Link', 'Cache-Control', 'WWW-Authenticate'];

const claimSql = `
  INSERT INTO idempotency_record AS r (caller, key, "requestHash", "lockedUntil", "createdAt", "expiresAt")
  VALUES ($1, $2, $3, now() + make_interval(secs => $4), clock_timestamp(), now() + interval '24 hours')
  ON CONFLICT (caller, key) DO UPDATE SET
    "requestHash" = EXCLUDED."requestHash", "lockedUntil" = EXCLUDED."lockedUntil",
    "createdAt" = EXCLUDED."createdAt", "expiresAt" = EXCLUDED."expiresAt",
    status = NULL, "contentType" = NULL, headers = '{}', body = NULL
  WHERE r."expiresAt" <= now()
     OR (r.status IS NULL AND r."lockedUntil" <= now() AND r."requestHash" = EXCLUDED."requestHash")
  RETURNING r."createdAt"::text AS claim`;

const findSql = `
  SELECT "requestHash", status, headers, body, ceil(extract(epoch FROM "lockedUntil" - now()))::int AS "lockedFor"
  FROM idempotency_record WHERE caller = $1 AND key = $2 AND "expiresAt" > now()`;

const mine = `caller = $1 AND key = $2 AND "createdAt" = $3::timestamptz AND status IS NULL`;
const renewSql = `UPDATE idempotency_record SET "lockedUntil" = now() + make_interval(secs => $4) WHERE ${mine}`;
const storeSql = `UPDATE idempotency_record SET status = $4, headers = $5, body = $6 WHERE ${mine}`;
const releaseSql = `DELETE FROM idempotency_record WHERE ${mine}`;

type Row = {
  requestHash: string;
  status: number | null;
  headers: Record<string, string>;
  body: string | null;
  lockedFor: number;
};

export type IdempotentCall = {
  /** Whose key it is; keys of different callers never meet. */
  caller: string;
  /** Whose quota it takes from: an account or project, since each makes callers at will. */
  owner: string;
  key: string;
  /** What must be the same for a response to be replayed. */
  request: { method: string; path: string; query: string; body: Buffer };
};

/** Keyed, since bodies hold passwords and a bare hash of them could be searched. */
function hashRequest({ method, path, query, body }: IdempotentCall['request']): string {
  return createHmac('sha256', env.AUTH_SECRET ?? '')
    .update(`${method} ${path}?${query}\n`)
    .update(body)
    .digest('hex');
}

function replay(row: Row & { status: number }): HttpResponse {
  return {
    status: row.status,
    headers: { ...row.headers, 'Idempotent-Replayed': 'true' },
    body: row.body === null ? null : decryptSecret(row.body),
  };
}

/** Throws INVALID_IDEMPOTENCY_KEY unless the header is 1 to 255 printable ASCII characters. */
export function checkIdempotencyKey(key: string): void {
  if (!/^[\x20-\x7e]{1,255}$/.test(key)) throw refuse('INVALID_IDEMPOTENCY_KEY');
}

/**
 * Runs a request at most once for its key within 24 hours, over all processes: the row is claimed by an insert, later
 * requests get the first response again. Responses are stored encrypted, since some hold a secret that is shown once.
 * Server errors (5xx) and 429 are not stored; the key is free again.
 * Throws IDEMPOTENCY_KEY_REUSED, IDEMPOTENCY_IN_PROGRESS or QUOTA_EXCEEDED.
 */
export async function runIdempotent(call: IdempotentCall, run: () => Promise<HttpResponse>): Promise<HttpResponse> {
  const { caller, owner, key } = call;
  const hash = hashRequest(call.request);
  const claimed = await pool.query<{ claim: string }>(claimSql, [caller, key, hash, lockSeconds]);
  const claim = claimed.rows[0]?.claim;
  if (!claim) return earlierResponse(call, hash, run);

  const renewal = setInterval(() => {
    pool.query(renewSql, [caller, key, claim, lockSeconds]).catch((error: unknown) => {
      logger.warn({ err: error }, 'could not renew an idempotency claim');
    });
  }, renewMs);
  try {
    await takeQuota(db, 'idempotencyKeys', owner);
    const response = await run();
    if (response.status >= 500 || response.status === 429) {
      await pool.query(releaseSql, [caller, key, claim]);
    } else {
      const headers = Object.fromEntries(
        Object.entries(response.headers).filter(([name]) => keptHeaders.includes(name)),
      );
      const body = response.body === null ? null : encryptSecret(response.body);
      await pool.query(storeSql, [caller, key, claim, response.status, JSON.stringify(headers), body]);
      const more = Math.floor(Buffer.byteLength(response.body ?? '') / bytesOfOne);
      // What is stored already is counted as far as it goes: the next key is refused then.
      if (more > 0) await takeUpTo(db, ['idempotencyKeys'], new Map([[owner, more]]));
    }
    return response;
  } catch (error) {
    await pool.query(releaseSql, [caller, key, claim]);
    throw error;
  } finally {
    clearInterval(renewal);
  }
}

async function earlierResponse(
  call: IdempotentCall,
  hash: string,
  run: () => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const found = await pool.query<Row>(findSql, [call.caller, call.key]);
  const row = found.rows[0];
  // Released between the two statements: the key is free.
  if (!row) return runIdempotent(call, run);
  if (row.requestHash !== hash) throw refuse('IDEMPOTENCY_KEY_REUSED');
  if (row.status === null)
    throw refuse('IDEMPOTENCY_IN_PROGRESS', { retryAfter: Math.min(5, Math.max(1, row.lockedFor)) });
  return replay({ ...row, status: row.status });
}
