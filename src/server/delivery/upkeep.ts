import { encodeTime } from 'ulid';
import { pool } from '@/server/db';
import type { PostResult } from '@/server/delivery/outbound/post';
import { healthOf } from '@/server/delivery/rules';

const dayMs = 86_400_000;
/** Days for which deliveries that ended are kept, with their payloads and attempts. */
export const keptDays = 30;

// Ids begin with their time, so that old deliveries stand at the beginning of the primary key.
const PURGE = `
  DELETE FROM webhook_delivery WHERE id IN (
    SELECT id FROM webhook_delivery
    WHERE id < $1 AND status IN ('delivered', 'failed', 'expired') AND "completedAt" < $2
    ORDER BY id LIMIT $3 FOR UPDATE SKIP LOCKED)`;

/** Deletes a batch of deliveries that ended more than 30 days before `now`, with their attempts. @returns how many */
export async function purgeDeliveries(now: Date, limit: number): Promise<number> {
  const before = now.getTime() - keptDays * dayMs;
  const firstKept = `whd_${encodeTime(before).toLowerCase()}`;
  const { rowCount } = await pool.query(PURGE, [firstKept, new Date(before), limit]);
  return rowCount ?? 0;
}

/** Deletes what is left of replays and of counted attempts once nobody asks about them. */
export async function purgeRecords(now: Date): Promise<void> {
  await pool.query('DELETE FROM webhook_replay WHERE "createdAt" < $1', [new Date(now.getTime() - keptDays * dayMs)]);
  await pool.query('DELETE FROM webhook_rate_bucket WHERE "startsAt" < $1', [new Date(now.getTime() - 2 * dayMs)]);
}

/** A check that this process makes now. */
export type DueCheck = { subscriptionId: string; url: string; timeoutMs: number; expected: number[] };

// Taking a check marks it as made, so that no other process makes it and a crash costs one interval.
const CLAIM_CHECKS = `
  UPDATE webhook_subscription s SET "healthCheckedAt" = now()
  WHERE s.id IN (
    SELECT id FROM webhook_subscription
    WHERE "healthCheck" IS NOT NULL AND status <> 'disabled' AND "healthCheck" -> 'enabled' = 'true'
      AND ("healthCheckedAt" IS NULL OR "healthCheckedAt" + make_interval(secs => ("healthCheck" ->> 'intervalSeconds')::int - 1) <= now())
    ORDER BY "healthCheckedAt" NULLS FIRST LIMIT $1 FOR UPDATE SKIP LOCKED)
  RETURNING s.id AS "subscriptionId", coalesce(s."healthCheck" ->> 'url', s.url) AS url, s."timeoutMs",
    ARRAY(SELECT jsonb_array_elements_text(s."healthCheck" -> 'expectedStatusCodes')::int) AS expected`;

/** Takes health checks that are due, the longest waiting first. */
export async function claimChecks(limit: number): Promise<DueCheck[]> {
  const { rows } = await pool.query<DueCheck>(CLAIM_CHECKS, [limit]);
  return rows;
}

/** Writes what a check found. */
export async function recordCheck(check: DueCheck, result: PostResult): Promise<void> {
  const { status, detail } = healthOf(result, check.expected);
  await pool.query(
    `UPDATE webhook_subscription SET "healthStatus" = $2, "healthDetail" = $3, "healthCheckedAt" = now()
     WHERE id = $1 AND "healthCheck" IS NOT NULL`,
    [check.subscriptionId, status, detail],
  );
}
