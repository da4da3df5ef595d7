import { inngest } from '@/inngest/client';
import { webhookDeliveriesDue } from '@/inngest/events';
import { pool, type Tx } from '@/server/db';

/** Deliveries moved by one statement. */
const batch = 1_000;
/** What the caller's own transaction moves; the rest follows when the queue is next looked at. */
const movedAtOnce = 5 * batch;

/** Why a subscription sends nothing at the moment; null: it sends. `s` is its row. */
export const heldBy = `(CASE WHEN s.status <> 'active' THEN s.status::text
  WHEN s."breakerState" <> 'closed' THEN 'breaker' END)::held_reason`;

/** Nobody has a request under way for it. */
const unclaimed = `("claimedUntil" IS NULL OR "claimedUntil" <= now())`;

// The subscription's row stays as it is until the move is committed, so that no resume or pause slips in between.
const HOLD = `
  WITH s AS (SELECT id, ${heldBy} AS reason FROM webhook_subscription s WHERE id = $1 FOR SHARE)
  UPDATE webhook_delivery d SET status = 'held', "heldReason" = s.reason, "claimId" = NULL, "claimedUntil" = NULL, "updatedAt" = now()
  FROM s WHERE d.id IN (
    SELECT id FROM webhook_delivery
    WHERE (SELECT reason FROM s) IS NOT NULL AND "subscriptionId" = $1 AND ((status = 'pending' AND ${unclaimed})
      OR (status = 'held' AND "heldReason" IS DISTINCT FROM (SELECT reason FROM s)))
    ORDER BY "nextAttemptAt", id LIMIT $2 FOR UPDATE SKIP LOCKED)`;

const RELEASE = `
  WITH s AS (SELECT id, ${heldBy} AS reason FROM webhook_subscription s WHERE id = $1 FOR SHARE)
  UPDATE webhook_delivery d SET status = 'pending', "heldReason" = NULL, "updatedAt" = now()
  FROM s WHERE d.id IN (
    SELECT id FROM webhook_delivery WHERE EXISTS (SELECT FROM s WHERE reason IS NULL) AND "subscriptionId" = $1 AND status = 'held'
    ORDER BY "nextAttemptAt", id LIMIT $2 FOR UPDATE SKIP LOCKED)`;

/**
 * Holds what a subscription that is paused, disabled or behind an open breaker would send; nothing when it sends. Call it
 * after the change of status, in its transaction. Requests under way end as they end.
 */
export async function holdAll(tx: Tx, subscriptionId: string): Promise<void> {
  await tx.$executeRawUnsafe(HOLD, subscriptionId, movedAtOnce);
}

/**
 * Gives back to the queue, in its order, what was held, if nothing holds the subscription any more. Call it after the change
 * of status, in its transaction, and `wakeQueues` after the commit.
 */
export async function releaseHeld(tx: Tx, subscriptionId: string): Promise<void> {
  await tx.$executeRawUnsafe(RELEASE, subscriptionId, movedAtOnce);
}

/**
 * Closes a breaker by hand and forgets a Retry-After, so that the next attempt starts at once. `wakeQueues` after the commit.
 */
export async function closeBreaker(tx: Tx, subscriptionId: string): Promise<void> {
  await tx.webhookSubscription.update({
    where: { id: subscriptionId },
    data: {
      breakerState: 'closed',
      breakerOpenedAt: null,
      breakerRetryAt: null,
      consecutiveFailures: 0,
      holdUntil: null,
    },
    select: { id: true },
  });
  await releaseHeld(tx, subscriptionId);
}

const REQUEUE = `
  UPDATE webhook_delivery d SET status = (CASE WHEN ${heldBy} IS NULL THEN 'pending' ELSE 'held' END)::delivery_status,
    "heldReason" = ${heldBy}, "nextAttemptAt" = now(), "expiresAt" = now() + interval '24 hours', "completedAt" = NULL,
    "claimId" = NULL, "claimedUntil" = NULL, "replayCount" = d."replayCount" + 1, "replayedAt" = now(), "updatedAt" = now()
  FROM webhook_subscription s WHERE s.id = d."subscriptionId" AND d.id = ANY ($1) AND ${unclaimed}
  RETURNING d.id`;

/**
 * Sends deliveries again whatever became of them: with all their retries, within 24 hours from now. Behind a pause or an
 * open breaker they are held first. `wakeQueues` after the commit.
 * @returns the ids that were taken; missing are those with a request under way, and unknown ones
 */
export async function requeue(tx: Tx, deliveryIds: string[]): Promise<string[]> {
  const taken = await tx.$queryRawUnsafe<{ id: string }[]>(REQUEUE, deliveryIds);
  return taken.map((row) => row.id);
}

/** Has the queues of subscriptions looked at now. After the commit of what changed them. */
export async function wakeQueues(subscriptionIds: string[]): Promise<void> {
  if (subscriptionIds.length === 0) return;
  await inngest.send(
    subscriptionIds.map((subscriptionId) => webhookDeliveriesDue.create({ subscriptionId, at: null })),
  );
}

/**
 * Moves what waits between pending and held until it fits the subscription. Idempotent, in batches.
 * @returns how many moved
 */
export async function settleQueue(subscriptionId: string): Promise<number> {
  let moved = 0;
  for (const statement of [HOLD, RELEASE]) {
    for (;;) {
      const { rowCount } = await pool.query(statement, [subscriptionId, batch]);
      moved += rowCount ?? 0;
      if ((rowCount ?? 0) < batch) break;
    }
  }
  return moved;
}
