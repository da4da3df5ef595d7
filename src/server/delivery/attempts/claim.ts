import type { Pool, PoolClient } from 'pg';
import { queuePool } from '@/server/db';
import { type ClaimedAttempt, type ClaimRow, prepareAttempts } from '@/server/delivery/attempts/prepare';
import { storeReleased } from '@/server/delivery/attempts/unstored';
import { halfOpenSql, probeDueSql } from '@/server/delivery/breaker';
import { unexpiredSql } from '@/server/delivery/queue/expire';
import { holdReasonSql, unclaimedSql } from '@/server/delivery/queue/hold';
import {
  allowance,
  bucketsAt,
  COUNT_ATTEMPTS,
  RATE_BUCKETS,
  type RateBucket,
  type RateLimits,
} from '@/server/delivery/queue/rate-limits';
import { statementTurns } from '@/server/delivery/queue/statement-turns';
import { newClaimId } from '@/server/delivery/sending/worker';
import { Batcher } from '@/server/jobs/embedded/batcher';

/** How much longer than its time limit an attempt holds its claim: time to connect and to write the result. */
const leaseMarginMs = 10_000;

/** When a claim of a delivery of subscription `s` ends. */
export const leaseEndSql = `now() + (s."timeoutMs" + ${leaseMarginMs}) * interval '1 millisecond'`;

// The claim also moves the delivery's due time to the end of the lease, so that it is found then if the process dies.
const claimStatement = (condition: string, selection: string) => `
  WITH due AS MATERIALIZED (${selection} LIMIT $2 FOR UPDATE SKIP LOCKED)
  UPDATE webhook_delivery d SET "claimId" = $3, "attemptCount" = d."attemptCount" + 1, "updatedAt" = now(),
    "claimedUntil" = ${leaseEndSql}, "nextAttemptAt" = ${leaseEndSql}, status = 'pending', "heldReason" = NULL
  FROM due, webhook_subscription s, domain_event e
  WHERE s.id = $1 AND ${condition} AND e.id = d."eventId" AND d.id = due.id
  RETURNING d.id, d."attemptCount", d."replayedAt", due."updatedAt" AS "claimedBefore", s."projectId", s.url, s."timeoutMs", s."maxRetries", s."retryBaseDelayMs",
    s."retryBackoffMultiplier", s."signPayload", s."signingSecretEncrypted",
    CASE WHEN s."authMode" IN ('bearer_token', 'basic_auth', 'custom_header') THEN s."authSecretEncrypted" END AS "authSecretEncrypted",
    CASE WHEN s."previousSecretUntil" > now() THEN s."previousSecretEncrypted" END AS "previousSecretEncrypted",
    now() AS "sentAt", e.id AS "eventId", e.type, e.version, e."aggregateType", e."aggregateId", e.payload, e.metadata,
    e."occurredAt"`;

const firstWith = (status: 'pending' | 'held', condition: string) => `
  (SELECT id, "nextAttemptAt" FROM webhook_delivery
   WHERE "subscriptionId" = $1 AND status = '${status}' AND ${condition} AND ${unexpiredSql}
   ORDER BY "nextAttemptAt", id LIMIT $2)`;
// What was held until a moment ago is claimed as it is: to make a long queue pending first would keep its first delivery
// waiting, and others too. Each status has an index of its own.
const first = (condition: string) => `
  SELECT id, "updatedAt" FROM webhook_delivery WHERE status IN ('pending', 'held') AND ${condition}
    AND id = ANY (ARRAY(
      SELECT id FROM (${firstWith('pending', condition)} UNION ALL ${firstWith('held', condition)}) o
      ORDER BY "nextAttemptAt", id LIMIT $2))`;
const due = first('"nextAttemptAt" <= now()');
const sends = `${holdReasonSql} IS NULL AND (s."holdUntil" IS NULL OR s."holdUntil" <= now())`;
const CLAIM = { name: 'webhook_claim', text: claimStatement(`${sends} AND s."rateLimitConfig" IS NULL`, due) };
const CLAIM_RATE_LIMITED = { name: 'webhook_claim_rate_limited', text: claimStatement(sends, due) };
const CLAIM_PROBE = { name: 'webhook_claim_probe', text: claimStatement('true', first(unclaimedSql)) };

// Statements that run many times a second cost more to plan for their values than another plan could save. A plan that was
// made while a table was small must not read all of it when it is large.
const BEGIN = 'BEGIN; SET LOCAL plan_cache_mode = force_generic_plan; SET LOCAL enable_seqscan = off';

/** Runs `work`, which begins and commits a transaction, on a connection of its own. Rolls back where it fails. */
export async function onConnection<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    return await work(client);
  } catch (error) {
    await client.query('ROLLBACK').catch((lost: Error) => {
      broken = lost;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

/** Runs `work` in a transaction on a connection of its own, when it is the turn of the subscription's project. */
function inTransaction<T>(subscriptionId: string, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const transaction = async (client: PoolClient) => {
    await client.query(BEGIN);
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  };
  return statementTurns.run(subscriptionId, () => onConnection(queuePool, transaction));
}

type Claim = { subscriptionId: string; limit: number; probe: boolean };

async function claimBatch(
  on: Pool | PoolClient,
  statement: typeof CLAIM,
  { subscriptionId, limit, probe }: Claim,
): Promise<ClaimedAttempt[]> {
  const claimId = newClaimId();
  const claimed = await on.query<ClaimRow>({ ...statement, values: [subscriptionId, limit, claimId] });
  const rows = claimed.rows.sort((a, b) => (a.id < b.id ? -1 : 1));
  return prepareAttempts(on, { subscriptionId, claimId, probe }, rows);
}

/**
 * Claims due deliveries of a subscription for this process. Claims nothing of a subscription that is held or has rate
 * limits.
 * @param limit deliveries at most
 */
export function claimDue(subscriptionId: string, limit: number): Promise<ClaimedAttempt[]> {
  const claim = { subscriptionId, limit, probe: false };
  return statementTurns.run(subscriptionId, () => claimBatch(queuePool, CLAIM, claim));
}

const LOCK = `
  SELECT s."rateLimitConfig" AS limits, clock_timestamp() AS now, ${probeDueSql} AS "probeDue"
  FROM webhook_subscription s WHERE id = $1 FOR NO KEY UPDATE`;

/** Locks the subscription. @returns what its rate limits allow now, and how to count what is then claimed */
async function lockRateLimits(client: PoolClient, subscriptionId: string) {
  const locked = await client.query<{ limits: RateLimits | null; now: Date; probeDue: boolean | null }>(LOCK, [
    subscriptionId,
  ]);
  const [row] = locked.rows;
  if (!row) return null;
  const now = row.now.getTime();
  const limits = row.limits ?? {};
  const buckets = row.limits ? (await client.query<RateBucket>(RATE_BUCKETS, [subscriptionId])).rows : [];
  return {
    probeDue: row.probeDue === true,
    free: allowance(limits, buckets, now).free,
    async count(started: number) {
      const at = bucketsAt(limits, now);
      if (at.length === 0 || started === 0) return;
      await client.query(COUNT_ATTEMPTS, [
        subscriptionId,
        at.map((bucket) => bucket.spanMs),
        at.map((bucket) => bucket.startsAt),
        at.map((bucket) => bucket.forgetBefore),
        started,
      ]);
    },
  };
}

/**
 * As `claimDue`, for a subscription with rate limits. Exact over any number of processes, since each counts under its
 * lock.
 */
export function claimRateLimited(subscriptionId: string, limit: number): Promise<ClaimedAttempt[]> {
  return inTransaction(subscriptionId, async (client) => {
    const locked = await lockRateLimits(client, subscriptionId);
    if (!locked || locked.free < 1) return [];
    const claim = { subscriptionId, limit: Math.min(limit, locked.free), probe: false };
    const claimed = await claimBatch(client, CLAIM_RATE_LIMITED, claim);
    await locked.count(claimed.length);
    return claimed;
  });
}

const HALF_OPEN = halfOpenSql(leaseEndSql);

/**
 * Claims the delivery that probes whether the endpoint behind an open breaker works again; null when it is too early,
 * another process probes, or there is nothing to probe with.
 */
export function claimProbe(subscriptionId: string): Promise<ClaimedAttempt | null> {
  return inTransaction(subscriptionId, async (client) => {
    const locked = await lockRateLimits(client, subscriptionId);
    if (!locked?.probeDue || locked.free < 1) return null;
    const [claimed] = await claimBatch(client, CLAIM_PROBE, { subscriptionId, limit: 1, probe: true });
    if (!claimed) return null;
    await client.query(HALF_OPEN, [subscriptionId]);
    await locked.count(1);
    return claimed;
  });
}

/** Claims that one statement releases. */
const maxReleased = 200;

// The due time becomes the one that gives the delivery its former place in the order. The cast keeps PostgreSQL from reading
// all that is pending, and `coalesce` from reading all that is claimed.
const RELEASE = `
  UPDATE webhook_delivery d SET "claimId" = NULL, "claimedUntil" = NULL, "updatedAt" = now(),
    "nextAttemptAt" = coalesce(d."replayedAt", d."createdAt"), "attemptCount" = d."attemptCount" - 1
  FROM unnest($1::text[], $2::text[]) AS v (delivery, claim)
  WHERE d.id = v.delivery AND coalesce(d."claimId", '') = v.claim AND d.status::text = 'pending'`;

/** Queues that hang together give back together: one statement after another, and not one for each queue at once. */
const releases = new Batcher<ClaimedAttempt, true>(maxReleased, async (attempts) => {
  const values = [attempts.map((attempt) => attempt.deliveryId), attempts.map((attempt) => attempt.claimId)];
  await queuePool.query({ name: 'webhook_release', text: RELEASE, values });
  return attempts.map(() => true);
});

/** Releases claims whose request was not sent, as if they had not been made. */
export async function releaseClaims(attempts: ClaimedAttempt[]): Promise<void> {
  await Promise.all(attempts.map((attempt) => (attempt.claimedWith ? storeReleased(attempt) : releases.add(attempt))));
}
