import { pool, type Tx } from '@/server/db';
import {
  allowance,
  laneOf,
  nextLookInMs,
  type QueueView,
  type RateBucket,
  type RateCaps,
} from '@/server/delivery/queue/rules';
import { abandoned } from '@/server/delivery/rules';
import { inngest } from '@/server/jobs/client';
import { webhookDeliveriesDue } from '@/server/jobs/events';

/** Deliveries moved by one statement. */
const batch = 1_000;
/** What the caller's own transaction moves; the rest follows when the queue is next looked at. */
const movedAtOnce = 5 * batch;

/** Why a subscription sends nothing at the moment; null: it sends. `s` is its row. */
export const heldBy = `(CASE WHEN s.status <> 'active' THEN s.status::text
  WHEN s."enableCircuitBreaker" AND s."breakerState" <> 'closed' THEN 'breaker' END)::held_reason`;

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

/** A queue that something is to be sent from, and the lane that its receiver is in. */
export type DueQueue = { subscriptionId: string; lane: ReturnType<typeof laneOf> };

/** The queues of subscriptions; those that are gone are left out. */
export async function queuesOf(subscriptionIds: string[]): Promise<DueQueue[]> {
  if (subscriptionIds.length === 0) return [];
  const { rows } = await pool.query<{ id: string; streak: number }>({
    name: 'webhook_lanes',
    text: 'SELECT id, "consecutiveFailures" AS streak FROM webhook_subscription WHERE id = ANY ($1)',
    values: [subscriptionIds],
  });
  return rows.map(({ id, streak }) => ({ subscriptionId: id, lane: laneOf(streak) }));
}

/** Events that have queues looked at now. */
export const lookNow = (queues: DueQueue[]) =>
  queues.map((queue) => webhookDeliveriesDue.create({ ...queue, at: null }));

/** Has the queues of subscriptions looked at now. After the commit of what changed them. */
export async function wakeQueues(subscriptionIds: string[]): Promise<void> {
  const queues = await queuesOf(subscriptionIds);
  if (queues.length > 0) await inngest.send(lookNow(queues));
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

const msFromNow = (moment: string) => `(extract(epoch FROM ${moment} - now()) * 1000)::float8`;

const LOOK = `
  SELECT ${heldBy} AS "heldBy", now() AS now, s."rateLimitConfig" AS caps, s."consecutiveFailures",
    CASE WHEN s."enableCircuitBreaker" THEN s."circuitBreakerThreshold" END AS threshold,
    ${msFromNow('s."breakerRetryAt"')} AS "probeInMs", ${msFromNow('s."holdUntil"')} AS "holdInMs",
    (SELECT ${msFromNow('min(d."nextAttemptAt")')} FROM webhook_delivery d
     WHERE d."subscriptionId" = s.id AND d.status = 'pending') AS "pendingInMs",
    EXISTS (SELECT FROM webhook_delivery d WHERE d."subscriptionId" = s.id AND d.status = 'held' AND d."expiresAt" > now()) AS held,
    ${heldBy} IS NOT NULL AND EXISTS (SELECT FROM webhook_delivery d
      WHERE d."subscriptionId" = s.id AND d.status = 'pending' AND ${unclaimed}) AS unclaimed
  FROM webhook_subscription s WHERE s.id = $1`;

type LookRow = Omit<QueueView, 'capInMs'> & {
  now: Date;
  caps: RateCaps | null;
  consecutiveFailures: number;
  threshold: number | null;
};

/** A subscription's queue now, by the database's clock. `threshold` is null without a breaker. */
export type Queue = QueueView & { now: Date; capped: boolean; consecutiveFailures: number; threshold: number | null };

/** Looks at the queue of a subscription; null when there is no such subscription. */
export async function lookAt(subscriptionId: string): Promise<Queue | null> {
  const { rows } = await pool.query<LookRow>({ name: 'webhook_look', text: LOOK, values: [subscriptionId] });
  const [row] = rows;
  if (!row) return null;
  const { caps, ...view } = row;
  return { ...view, capped: caps !== null, capInMs: caps ? await capInMs(subscriptionId, caps, row.now) : 0 };
}

async function capInMs(subscriptionId: string, caps: RateCaps, now: Date): Promise<number> {
  const { rows } = await pool.query<RateBucket>(BUCKETS, [subscriptionId]);
  return allowance(caps, rows, now.getTime()).inMs;
}

/** The attempts that count under a subscription's caps. */
export const BUCKETS = `
  SELECT "spanMs", (extract(epoch FROM "startsAt") * 1000)::float8 AS "startsAt", started FROM webhook_rate_bucket
  WHERE "subscriptionId" = $1`;

/** When a queue is to be looked at again by the database's clock (ISO 8601), and in how many milliseconds (at most 0: now). */
export type NextLook = Pick<DueQueue, 'lane'> & { at: string; inMs: number };

/** The next moment at which a queue has something to send; null when only something new, or its owner, changes that. */
export function nextLook(queue: Queue | null): NextLook | null {
  const inMs = queue && nextLookInMs(queue);
  if (queue === null || inMs === null) return null;
  return { at: new Date(queue.now.getTime() + inMs).toISOString(), inMs, lane: laneOf(queue.consecutiveFailures) };
}

const over = `status = 'expired', "heldReason" = NULL, "completedAt" = now(), "nextAttemptAt" = NULL, "claimId" = NULL,
      "claimedUntil" = NULL, "updatedAt" = now()`;

const EXPIRE = `
  WITH over AS (
    UPDATE webhook_delivery SET ${over}
    WHERE id IN (
      SELECT old.id FROM webhook_subscription s CROSS JOIN LATERAL (
        SELECT id FROM webhook_delivery d
        WHERE d."subscriptionId" = s.id AND d.status = 'pending' AND d."nextAttemptAt" <= now() AND d."expiresAt" <= now()
        ORDER BY d."nextAttemptAt" LIMIT ${batch} FOR UPDATE SKIP LOCKED) old
      WHERE $1::text IS NULL OR s.id = $1)
    RETURNING id
  ), held AS (
    UPDATE webhook_delivery SET ${over}
    WHERE $1::text IS NULL AND id IN (
      SELECT id FROM webhook_delivery WHERE status = 'held' AND "expiresAt" <= now() LIMIT ${batch} FOR UPDATE SKIP LOCKED)
  ), lost AS (
    UPDATE webhook_attempt a SET outcome = 'unknown', "errorMessage" = '${abandoned}'
    FROM over WHERE a."deliveryId" = over.id AND a.outcome = 'running'
  )
  SELECT count(*)::int AS count FROM over`;

/**
 * Ends deliveries that no attempt may start for any more: the pending ones of one subscription, or of all, with what is held.
 * @returns how many pending ones ended
 */
export async function expireOverdue(subscriptionId: string | null): Promise<number> {
  const expired = await pool.query<{ count: number }>(EXPIRE, [subscriptionId]);
  return expired.rows[0]?.count ?? 0;
}

/**
 * Subscriptions whose queue nobody looks after: something has been due for a while, a probe is overdue, or deliveries stand
 * where they do not belong.
 */
export async function neglectedSubscriptions(afterSeconds: number, limit: number): Promise<string[]> {
  const found = await pool.query<{ id: string }>(
    `SELECT s.id FROM webhook_subscription s WHERE CASE
       WHEN ${heldBy} IS NULL THEN (s."holdUntil" IS NULL OR s."holdUntil" <= now()) AND EXISTS (
         SELECT FROM webhook_delivery d
         WHERE d."subscriptionId" = s.id AND d.status = 'pending' AND d."nextAttemptAt" < now() - $1 * interval '1 second')
       ELSE EXISTS (SELECT FROM webhook_delivery d WHERE d."subscriptionId" = s.id AND d.status = 'pending' AND ${unclaimed}) END
       OR (CASE WHEN ${heldBy} IS NULL THEN true WHEN ${heldBy} = 'breaker' THEN s."breakerRetryAt" < now() - $1 * interval '1 second'
         ELSE false END
         AND EXISTS (SELECT FROM webhook_delivery d WHERE d."subscriptionId" = s.id AND d.status = 'held' AND d."expiresAt" > now()))
     LIMIT $2`,
    [afterSeconds, limit],
  );
  return found.rows.map((row) => row.id);
}
