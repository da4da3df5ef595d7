import type { Tx } from '@/server/db';
import { changeInBatches } from '@/server/delivery/queue/batches';
import { Allowance } from '@/server/limits/allowance';

/**
 * Holding back: a subscription that is paused, disabled or behind an open breaker sends nothing, and its deliveries are
 * `held` until it does.
 */

/**
 * Deliveries moved by one statement. The caller of a pause or a resume moves so many in its own transaction, whose lock the
 * results of others wait for; `reconcileQueue` moves what is not sent until then.
 */
export const maxMoved = 500;

/** Why a subscription sends nothing at the moment; null: it sends. `s` is its row. */
export const holdReasonSql = `(CASE WHEN s.status <> 'active' THEN s.status::text
  WHEN s."enableCircuitBreaker" AND s."breakerState" <> 'closed' THEN 'breaker' END)::held_reason`;

/** The status that a delivery of subscription `s` gets when it is queued. */
export const queuedStatusSql = `(CASE WHEN ${holdReasonSql} IS NULL THEN 'pending' ELSE 'held' END)::delivery_status`;

/** No process has a request of this delivery under way. */
export const unclaimedSql = `("claimedUntil" IS NULL OR "claimedUntil" <= now())`;

// The subscription's row is locked until the move is committed, so that no resume or pause comes between. What is pending, and
// what is held for another reason, is found apart: with one condition for both, PostgreSQL reads and sorts the whole queue. The
// order by reason has it use the index with the reasons, even where its statistics say that all have the one that is looked for.
const HOLD = `
  WITH s AS (SELECT id, ${holdReasonSql} AS reason FROM webhook_subscription s WHERE id = $1 FOR SHARE), pending AS MATERIALIZED (
    SELECT id FROM webhook_delivery
    WHERE (SELECT reason FROM s) IS NOT NULL AND "subscriptionId" = $1 AND status = 'pending' AND ${unclaimedSql}
    ORDER BY "nextAttemptAt", id LIMIT $2 FOR UPDATE SKIP LOCKED
  ), other AS MATERIALIZED (
    SELECT o.id FROM s JOIN unnest(enum_range(NULL::held_reason)) r (reason) ON r.reason <> s.reason CROSS JOIN LATERAL (
      SELECT id FROM webhook_delivery
      WHERE "subscriptionId" = $1 AND status = 'held' AND "heldReason" BETWEEN r.reason AND r.reason
      ORDER BY "heldReason" LIMIT $2 FOR UPDATE SKIP LOCKED) o
    LIMIT $2 - (SELECT count(*) FROM pending)
  )
  UPDATE webhook_delivery d SET status = 'held', "heldReason" = s.reason, "claimId" = NULL, "claimedUntil" = NULL, "updatedAt" = now()
  FROM s WHERE d.id = ANY (ARRAY(SELECT id FROM pending UNION ALL SELECT id FROM other))`;

const RELEASE = `
  WITH s AS (SELECT id, ${holdReasonSql} AS reason FROM webhook_subscription s WHERE id = $1 FOR SHARE)
  UPDATE webhook_delivery d SET status = 'pending', "heldReason" = NULL, "updatedAt" = now()
  FROM s WHERE d.id IN (
    SELECT id FROM webhook_delivery WHERE EXISTS (SELECT FROM s WHERE reason IS NULL) AND "subscriptionId" = $1 AND status = 'held'
    ORDER BY "nextAttemptAt", id LIMIT $2 FOR UPDATE SKIP LOCKED)`;

/**
 * Holds the pending deliveries of a subscription that sends nothing; does nothing for one that sends. Call it after the
 * change of status, in the same transaction. Requests under way are not interrupted.
 */
export async function holdDeliveries(tx: Tx, subscriptionId: string): Promise<void> {
  await tx.$executeRawUnsafe(HOLD, subscriptionId, maxMoved);
}

/**
 * Makes held deliveries pending again, in their order, unless something still holds the subscription. Call it after the
 * change of status, in the same transaction, and `triggerDelivery` after the commit.
 */
export async function releaseDeliveries(tx: Tx, subscriptionId: string): Promise<void> {
  await tx.$executeRawUnsafe(RELEASE, subscriptionId, maxMoved);
}

/** For each delivery that a breaker holds, the breakers of its project wait so long before they hold more. */
const msForEach = 100;

/** A breaker that opens and closes all the time would have a long queue written twice each time. */
const breakerHolds = new Allowance({ atOnceMs: maxMoved * msForEach, share: 1 });

/**
 * Moves deliveries between pending and held until they fit the state of the subscription. Idempotent, in batches.
 * @returns how many moved
 */
export async function reconcileQueue(subscription: { id: string; projectId: string }): Promise<number> {
  let moved = 0;
  for (const statement of [HOLD, RELEASE]) moved += await changeInBatches(statement, subscription, maxMoved);
  return moved;
}

/**
 * As `reconcileQueue`, for a subscription whose breaker is open. Where breakers of its project held many deliveries lately,
 * they stay pending, which sends them no sooner.
 */
export async function holdBehindBreaker(subscription: { id: string; projectId: string }): Promise<number> {
  if (breakerHolds.isSpent(subscription.projectId)) return 0;
  const moved = await reconcileQueue(subscription);
  breakerHolds.spend(subscription.projectId, moved * msForEach);
  return moved;
}
