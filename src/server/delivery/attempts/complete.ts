import { pool } from '@/server/db';
import { nextAttemptInMs, parseRetryAfter } from '@/server/delivery/attempts/next-attempt';
import type { ClaimedAttempt } from '@/server/delivery/attempts/prepare';
import { autoDisableColumnsSql } from '@/server/delivery/auto-disable';
import { breakerColumnsSql } from '@/server/delivery/breaker';
import type { RequestResult } from '@/server/delivery/outbound/post';
import { holdReasonSql } from '@/server/delivery/queue/hold';

/** What a batch of results changes of the subscription. */
export type SubscriptionChange = {
  /** Failures in a row. */
  consecutiveFailures: number;
  /** Whether anything holds the subscription now. */
  stopped: boolean;
};

// Only the holder of the claim writes: a result that comes after the lease ended changes nothing, not even the breaker.
// `sum` is the summary of the results written: `fails` and `strikes` count the failures after the last success.
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
    "holdUntil" = CASE WHEN sum.hold > 0 THEN greatest(s."holdUntil", now() + sum.hold * interval '1 millisecond')
      ELSE s."holdUntil" END,${breakerColumnsSql},${autoDisableColumnsSql}
  FROM sum
  WHERE s.id = $17 AND sum.n > 0 AND (sum.fails > 0 OR sum.hold > 0 OR sum.gone OR s."consecutiveFailures" > 0
    OR s."failingSince" IS NOT NULL OR s."breakerState" <> 'closed' OR s."lastDeliveredAt" IS NULL
    OR s."lastDeliveredAt" < now() - interval '1 second')
  RETURNING s."consecutiveFailures", ${holdReasonSql} IS NOT NULL OR s."holdUntil" > now() AS stopped`;

export type FinishedAttempt = { attempt: ClaimedAttempt; result: RequestResult };

/** Milliseconds that a response asks to wait: before this delivery's retry and, with 429 and 503, before any delivery. */
function requestedWait({ status, headers }: RequestResult): { retry: number; hold: number } {
  const retry = parseRetryAfter(headers?.['retry-after'], new Date());
  return { retry, hold: status === 429 || status === 503 ? retry : 0 };
}

/**
 * Writes the results of attempts of one subscription and what follows from them by the database's clock. A delivery becomes
 * delivered, pending until its retry, failed or expired. The subscription's breaker, Retry-After and status change with it.
 * @returns null when nothing of the subscription changed
 */
export async function completeAttempts(
  subscriptionId: string,
  finished: FinishedAttempt[],
): Promise<SubscriptionChange | null> {
  const waits = finished.map(({ result }) => requestedWait(result));
  const delays = finished.map(({ attempt, result }, index) =>
    nextAttemptInMs(attempt, result, waits[index]?.retry ?? 0),
  );
  const { rows } = await pool.query<SubscriptionChange>({
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
