import { pool } from '@/server/db';
import type { ClaimedAttempt } from '@/server/delivery/attempts/claim';
import type { PostResult } from '@/server/delivery/outbound/post';
import { heldBy } from '@/server/delivery/queue/queue';
import { nextDelayMs, retryAfterMs } from '@/server/delivery/rules';

/**
 * The streak of failures after these results; `s` is the subscription, `sum` what was written. An answer that says when to
 * come back is no strike: the hold that it asks for does the breaker's work.
 */
const streak = `((CASE WHEN sum.ok THEN 0 ELSE s."consecutiveFailures" END) + sum.strikes)`;
const closes = `((sum.probe_ok OR NOT s."enableCircuitBreaker") AND s."breakerState" <> 'closed')`;
const opens = `(s."enableCircuitBreaker" AND ((s."breakerState" = 'closed' AND ${streak} >= s."circuitBreakerThreshold")
  OR (s."breakerState" = 'half_open' AND sum.probe_failed)))`;
const onlyFailures = `(s.status = 'active' AND sum.fails > 0 AND NOT sum.ok AND s."failingSince" <= now() - interval '5 days'
  AND s."failureWarnedAt" <= now() - interval '1 day')`;
const warns = `(s.status = 'active' AND sum.fails > 0 AND NOT sum.ok AND s."failureWarnedAt" IS NULL
  AND s."failingSince" <= now() - interval '3 days')`;
const disables = `(s.status <> 'disabled' AND (sum.gone OR ${onlyFailures}))`;

// Only the holder of the claim writes; a result that comes after the lease ended changes nothing, the breaker included.
const COMPLETE = `
  WITH v AS (
    SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::boolean[], $5::float8[], $6::int[], $7::int[], $8::jsonb[],
        $9::text[], $10::boolean[], $11::text[], $12::text[], $13::text[], $14::jsonb[], $15::boolean[], $16::float8[])
      WITH ORDINALITY AS v (delivery, claim, attempt, succeeded, delay, duration, status, headers, body, truncated, peer,
        class, message, timings, probe, hold, ord)
  ), done AS (
    UPDATE webhook_delivery d SET "claimId" = NULL, "claimedUntil" = NULL, "updatedAt" = now(),
      status = next.status::delivery_status,
      "nextAttemptAt" = CASE WHEN next.status = 'pending' THEN now() + v.delay * interval '1 millisecond' END,
      "completedAt" = CASE WHEN next.status <> 'pending' THEN now() END
    FROM v, LATERAL (
      SELECT CASE WHEN v.succeeded THEN 'delivered' WHEN v.delay IS NULL THEN 'failed'
        WHEN now() + v.delay * interval '1 millisecond' >= o."expiresAt" THEN 'expired' ELSE 'pending' END AS status
      FROM webhook_delivery o WHERE o.id = v.delivery) next
    WHERE d.id = v.delivery AND d."claimId" = v.claim AND d.status = 'pending'
    RETURNING d.id, d."nextAttemptAt"
  ), written AS (
    UPDATE webhook_attempt a SET outcome = (CASE WHEN v.succeeded THEN 'succeeded' ELSE 'failed' END)::attempt_outcome,
      "durationMs" = v.duration, "responseStatus" = v.status, "responseHeaders" = v.headers, "responseBody" = v.body,
      "responseTruncated" = v.truncated, "peerAddress" = v.peer, "errorClass" = v.class, "errorMessage" = v.message,
      timings = v.timings, "nextAttemptAt" = done."nextAttemptAt"
    FROM v JOIN done ON done.id = v.delivery WHERE a.id = v.attempt
  ), counted AS (
    SELECT v.*, coalesce(max(v.ord) FILTER (WHERE v.succeeded) OVER (), 0) AS last_ok
    FROM v JOIN done ON done.id = v.delivery
  ), sum AS (
    SELECT count(*)::int AS n, bool_or(succeeded) AS ok, (count(*) FILTER (WHERE NOT succeeded AND ord > last_ok))::int AS fails,
      (count(*) FILTER (WHERE NOT succeeded AND ord > last_ok AND hold = 0))::int AS strikes,
      bool_or(probe AND succeeded) AS probe_ok, bool_or(probe AND NOT succeeded) AS probe_failed,
      bool_or(status IS NOT DISTINCT FROM 410) AS gone, max(hold) AS hold
    FROM counted
  )
  UPDATE webhook_subscription s SET "lastAttemptAt" = now(),
    "lastDeliveredAt" = CASE WHEN sum.ok THEN now() ELSE s."lastDeliveredAt" END,
    "consecutiveFailures" = ${streak},
    "failingSince" = CASE WHEN sum.fails = 0 THEN NULL WHEN sum.ok THEN now() ELSE coalesce(s."failingSince", now()) END,
    "failureWarnedAt" = CASE WHEN ${warns} THEN now() WHEN sum.ok THEN NULL ELSE s."failureWarnedAt" END,
    "holdUntil" = CASE WHEN sum.hold > 0 THEN greatest(s."holdUntil", now() + sum.hold * interval '1 millisecond')
      ELSE s."holdUntil" END,
    "breakerState" = CASE WHEN ${closes} THEN 'closed' WHEN ${opens} THEN 'open' ELSE s."breakerState" END,
    "breakerOpenedAt" = CASE WHEN ${closes} THEN NULL WHEN ${opens} THEN now() ELSE s."breakerOpenedAt" END,
    "breakerRetryAt" = CASE WHEN ${closes} THEN NULL
      WHEN ${opens} THEN now() + s."circuitBreakerTimeoutMs" * interval '1 millisecond' ELSE s."breakerRetryAt" END,
    status = CASE WHEN ${disables} THEN 'disabled' ELSE s.status END,
    "disabledAt" = CASE WHEN ${disables} THEN now() ELSE s."disabledAt" END,
    "disabledReason" = CASE WHEN ${disables} THEN CASE WHEN sum.gone THEN 'gone_410' ELSE 'only_failures' END
      ELSE s."disabledReason" END,
    version = CASE WHEN ${disables} THEN s.version + 1 ELSE s.version END,
    "updatedAt" = CASE WHEN ${disables} THEN now() ELSE s."updatedAt" END
  FROM sum
  WHERE s.id = $17 AND sum.n > 0 AND (sum.fails > 0 OR sum.hold > 0 OR sum.gone OR s."consecutiveFailures" > 0
    OR s."failingSince" IS NOT NULL OR s."breakerState" <> 'closed' OR s."lastDeliveredAt" IS NULL
    OR s."lastDeliveredAt" < now() - interval '1 second')
  RETURNING s."consecutiveFailures", ${heldBy} IS NOT NULL OR s."holdUntil" > now() AS stopped`;

export type FinishedAttempt = { attempt: ClaimedAttempt; result: PostResult };

/** How the subscription stands after a write: failures in a row, and whether anything stops it now. */
export type Standing = { consecutiveFailures: number; stopped: boolean };

/** Milliseconds that an answer asks to wait: before this delivery's retry, and, with 429 and 503, before any other's. */
function waitOf({ status, headers }: PostResult): { retry: number; hold: number } {
  const retry = retryAfterMs(headers?.['retry-after'], new Date());
  return { retry, hold: status === 429 || status === 503 ? retry : 0 };
}

/**
 * Writes how attempts of one subscription ended, and what follows by the database's clock: delivered, another attempt, failed
 * or expired; and for the subscription: its breaker, a Retry-After, its end by 410 or by days of nothing but failures.
 * @returns null when nothing of the subscription changed
 */
export async function completeAttempts(subscriptionId: string, finished: FinishedAttempt[]): Promise<Standing | null> {
  const waits = finished.map(({ result }) => waitOf(result));
  const delays = finished.map(({ attempt, result }, index) => nextDelayMs(attempt, result, waits[index]?.retry ?? 0));
  const { rows } = await pool.query<Standing>({
    name: 'webhook_complete',
    text: COMPLETE,
    values: [
      finished.map(({ attempt }) => attempt.deliveryId),
      finished.map(({ attempt }) => attempt.claimId),
      finished.map(({ attempt }) => attempt.attemptId),
      finished.map(({ result }) => result.succeeded),
      delays,
      finished.map(({ result }) => result.durationMs),
      finished.map(({ result }) => result.status),
      finished.map(({ result }) => result.headers && JSON.stringify(result.headers)),
      finished.map(({ result }) => result.body),
      finished.map(({ result }) => result.truncated),
      finished.map(({ result }) => result.peerAddress),
      finished.map(({ result }) => result.errorClass),
      finished.map(({ result }) => result.errorMessage),
      finished.map(({ result }) => JSON.stringify(result.timings)),
      finished.map(({ attempt }) => attempt.probe),
      waits.map(({ hold }) => hold),
      subscriptionId,
    ],
  });
  return rows[0] ?? null;
}

type Notice = { subscriptionId: string; kind: 'warned' | 'disabled'; reason: 'gone_410' | 'only_failures'; at: Date };

/**
 * Warnings and endings of the last two hours. Whoever announces them gives each an id of its own, so that each is heard once
 * however often this is asked.
 */
export async function recentNotices(limit: number): Promise<Notice[]> {
  const found = await pool.query<Notice>(
    `SELECT id AS "subscriptionId", 'disabled' AS kind, "disabledReason" AS reason, "disabledAt" AS at FROM webhook_subscription
     WHERE status = 'disabled' AND "disabledReason" IN ('gone_410', 'only_failures') AND "disabledAt" > now() - interval '2 hours'
     UNION ALL
     SELECT id, 'warned', 'only_failures', "failureWarnedAt" FROM webhook_subscription
     WHERE status = 'active' AND "failureWarnedAt" > now() - interval '2 hours'
     LIMIT $1`,
    [limit],
  );
  return found.rows;
}
