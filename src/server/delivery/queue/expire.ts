import { retryWindowHours } from '@/domain/webhooks/retry';
import { queuePool } from '@/server/db';
import { statementTurns } from '@/server/delivery/queue/statement-turns';

const batchSize = 1_000;

/** When a new delivery of event `e` expires. */
export const expirySql = `e."occurredAt" + interval '${retryWindowHours} hours'`;

/**
 * An attempt of a delivery may still start. As a difference, so that PostgreSQL finds the first of a queue by its order: by an
 * index of when they expire it would read all of it.
 */
export const unexpiredSql = `"expiresAt" - now() > interval '0'`;

/** Stored as the error of an attempt whose end nobody knows. */
export const abandonedMessage = 'The sending process stopped before it received a response.';

/** Of a delivery, only so many of the newest attempts are read: more than retries can make, and replays may have made thousands. */
export const maxPrevious = 100;

const expiredColumns = `status = 'expired', "heldReason" = NULL, "completedAt" = now(), "nextAttemptAt" = NULL, "claimId" = NULL,
      "claimedUntil" = NULL, "updatedAt" = now()`;

export const EXPIRE = `
  WITH over AS (
    UPDATE webhook_delivery SET ${expiredColumns}
    WHERE id IN (
      SELECT old.id FROM webhook_subscription s CROSS JOIN LATERAL (
        SELECT id FROM webhook_delivery d
        WHERE d."subscriptionId" = s.id AND d.status = 'pending' AND d."nextAttemptAt" <= now() AND d."expiresAt" <= now()
        ORDER BY d."expiresAt" LIMIT ${batchSize} FOR UPDATE SKIP LOCKED) old
      WHERE $1::text IS NULL OR s.id = $1)
    RETURNING id, "attemptCount"
  ), held AS (
    UPDATE webhook_delivery SET ${expiredColumns}
    WHERE $1::text IS NULL AND id IN (
      SELECT id FROM webhook_delivery WHERE status = 'held' AND id = ANY (ARRAY(
        SELECT id FROM (
          SELECT old.id, row_number() OVER (PARTITION BY s."projectId") AS turn FROM webhook_subscription s CROSS JOIN LATERAL (
            SELECT id FROM webhook_delivery d WHERE d."subscriptionId" = s.id AND d.status = 'held' AND d."expiresAt" <= now()
            ORDER BY d."expiresAt" LIMIT ${batchSize}) old
        ) o ORDER BY turn LIMIT ${batchSize})) FOR UPDATE SKIP LOCKED)
  ), lost AS (
    UPDATE webhook_attempt a SET outcome = 'unknown', "errorMessage" = '${abandonedMessage}'
    FROM over WHERE a."deliveryId" = over.id AND a.number > over."attemptCount" - ${maxPrevious} AND a.outcome = 'running'
  )
  SELECT count(*)::int AS count FROM over`;

/**
 * Expires deliveries that no attempt may start for any more: the pending ones of one subscription, or with null those of
 * every subscription and what is held, of which projects share a batch.
 * @returns how many pending ones expired
 */
export async function expireOverdue(subscriptionId: string | null): Promise<number> {
  const expire = () => queuePool.query<{ count: number }>(EXPIRE, [subscriptionId]);
  const expired = await (subscriptionId === null ? expire() : statementTurns.run(subscriptionId, expire));
  return expired.rows[0]?.count ?? 0;
}
