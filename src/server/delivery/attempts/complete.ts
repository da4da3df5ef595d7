import { deliveryPool, plainArray } from '@/server/db';
import { keptSubscriptionsSql } from '@/server/delivery/attempts/deletions';
import { nextAttemptInMs, parseRetryAfter } from '@/server/delivery/attempts/next-attempt';
import type { ClaimedAttempt } from '@/server/delivery/attempts/prepare';
import { heldClaimsSql, lastOfClaims, noteStored } from '@/server/delivery/attempts/unstored';
import { autoDisableColumnsSql } from '@/server/delivery/auto-disable';
import { breakerColumnsSql } from '@/server/delivery/breaker';
import type { RequestResult } from '@/server/delivery/outbound/post';
import { expirySql } from '@/server/delivery/queue/expire';
import { holdReasonSql } from '@/server/delivery/queue/hold';

/** What a batch of results changes of a subscription. */
export type SubscriptionChange = {
  subscriptionId: string;
  /** Failures in a row. */
  consecutiveFailures: number;
  /** Whether anything holds the subscription now. */
  stopped: boolean;
};

const nextStatusSql = `(CASE WHEN v.succeeded THEN 'delivered' WHEN v.delay IS NULL THEN 'failed'
        WHEN now() + v.delay * interval '1 millisecond' >= d."expiresAt" THEN 'expired' ELSE 'pending' END)::delivery_status`;

// `kept` holds on to the subscriptions before anything is written to their deliveries: a deletion locks them in that order, too.
// Only the holder of the claim writes: a result that comes after the lease ended changes nothing, not even the breaker.
// The cast keeps PostgreSQL from reading all that is pending, and `coalesce` from reading all that is claimed.
// A list of `unnest` in SELECT takes PostgreSQL half as long as one `unnest` of all in FROM, which stores each column apart.
// `sum` is the summary of a subscription's results: `fails` and `strikes` count the failures after the last success.
const COMPLETE = `
  WITH v AS (
    SELECT unnest($1::text[]) AS delivery, unnest($2::text[]) AS claim, unnest($3::text[]) AS subscription,
      unnest($4::text[]) AS attempt, unnest($5::int[]) AS number, unnest($6::attempt_trigger[]) AS trigger,
      unnest(string_to_array($7, chr(1))) AS request, unnest(string_to_array($8, chr(1)))::jsonb AS request_headers,
      unnest($9::boolean[]) AS succeeded, unnest($10::float8[]) AS delay, unnest($11::int[]) AS duration,
      unnest($12::int[]) AS status, unnest(string_to_array($13, chr(1), ''))::jsonb AS headers, unnest($14::text[]) AS body,
      unnest($15::boolean[]) AS truncated, unnest($16::text[]) AS peer, unnest($17::text[]) AS class,
      unnest($18::text[]) AS message, unnest(string_to_array($19, chr(1)))::jsonb AS timings, unnest($20::float8[]) AS hold,
      unnest($21::boolean[]) AS blameless, unnest($22::text[]) AS event, unnest($23::timestamptz[]) AS made,
      unnest($25::int[]) AS ord
  ), kept AS MATERIALIZED (
    ${keptSubscriptionsSql('$3')}
  ), held AS MATERIALIZED (
    ${heldClaimsSql('$2')}
  ), changed AS (
    UPDATE webhook_delivery d SET "claimId" = NULL, "claimedUntil" = NULL, "updatedAt" = now(), status = ${nextStatusSql},
      "nextAttemptAt" = CASE WHEN ${nextStatusSql} = 'pending' THEN now() + v.delay * interval '1 millisecond' END,
      "completedAt" = CASE WHEN ${nextStatusSql} <> 'pending' THEN now() END
    FROM v JOIN kept s ON s.id = v.subscription
    WHERE v.event IS NULL AND d.id = v.delivery AND coalesce(d."claimId", '') = v.claim AND d.status::text = 'pending'
    RETURNING d.id, d."nextAttemptAt"
  ), stored AS (
    INSERT INTO webhook_delivery (id, "subscriptionId", "projectId", "eventId", "eventType", status, "attemptCount",
      "nextAttemptAt", "expiresAt", "completedAt", "createdAt", "updatedAt")
    SELECT v.delivery, s.id, s."projectId", e.id, e.type, ${nextStatusSql}, 1,
      CASE WHEN ${nextStatusSql} = 'pending' THEN now() + v.delay * interval '1 millisecond' END, d."expiresAt",
      CASE WHEN ${nextStatusSql} <> 'pending' THEN now() END, v.made, now()
    FROM v JOIN held ON held.id = v.claim
    JOIN kept s ON s.id = v.subscription JOIN domain_event e ON e.id = v.event
    CROSS JOIN LATERAL (SELECT ${expirySql} AS "expiresAt") d
    ON CONFLICT ("eventId", "subscriptionId") DO NOTHING
    RETURNING id, "nextAttemptAt"
  ), done AS (
    SELECT * FROM changed UNION ALL SELECT * FROM stored
  ), handled AS (
    DELETE FROM event_claim WHERE id = ANY ($24)
  ), written AS (
    INSERT INTO webhook_attempt (id, "deliveryId", number, trigger, "startedAt", "requestBody", "requestHeaders", outcome,
      "durationMs", "responseStatus", "responseHeaders", "responseBody", "responseTruncated", "peerAddress", "errorClass",
      "errorMessage", timings, "nextAttemptAt")
    SELECT v.attempt, v.delivery, v.number, v.trigger, now() - v.duration * interval '1 millisecond', v.request, v.request_headers,
      (CASE WHEN v.succeeded THEN 'succeeded' ELSE 'failed' END)::attempt_outcome, v.duration, v.status, v.headers, v.body,
      v.truncated, v.peer, v.class, v.message, v.timings, done."nextAttemptAt"
    FROM v JOIN done ON done.id = v.delivery
  ), counted AS (
    SELECT v.*, coalesce(max(v.ord) FILTER (WHERE v.succeeded) OVER (PARTITION BY v.subscription), 0) AS last_ok
    FROM v JOIN done ON done.id = v.delivery
  ), sum AS (
    SELECT subscription, bool_or(succeeded) AS ok,
      (count(*) FILTER (WHERE NOT succeeded AND NOT blameless AND ord > last_ok))::int AS fails,
      (count(*) FILTER (WHERE NOT succeeded AND NOT blameless AND ord > last_ok AND (hold = 0 OR trigger = 'probe')))::int AS strikes,
      bool_or(trigger = 'probe' AND succeeded) AS probe_ok, bool_or(trigger = 'probe' AND NOT succeeded) AS probe_failed,
      bool_or(status IS NOT DISTINCT FROM 410) AS gone, max(hold) AS hold
    FROM counted GROUP BY subscription
  )
  UPDATE webhook_subscription s SET "lastAttemptAt" = now(),
    "lastDeliveredAt" = CASE WHEN sum.ok THEN now() ELSE s."lastDeliveredAt" END,
    "holdUntil" = CASE WHEN sum.hold > 0 THEN greatest(s."holdUntil", now() + sum.hold * interval '1 millisecond')
      ELSE s."holdUntil" END,${breakerColumnsSql},${autoDisableColumnsSql}
  FROM sum
  WHERE s.id = sum.subscription AND (sum.fails > 0 OR sum.hold > 0 OR sum.gone OR s."consecutiveFailures" > 0
    OR s."failingSince" IS NOT NULL OR s."breakerState" <> 'closed' OR s."lastDeliveredAt" IS NULL
    OR s."lastDeliveredAt" < now() - interval '1 second')
  RETURNING s.id AS "subscriptionId", s."consecutiveFailures", ${holdReasonSql} IS NOT NULL OR s."holdUntil" > now() AS stopped`;

export type FinishedAttempt = { attempt: ClaimedAttempt; result: RequestResult };

/**
 * Texts of JSON as one, separated by a character that JSON escapes. In an array, every quotation mark would be escaped
 * again.
 */
const joined = (texts: string[]) => texts.join('\u0001');

/** Milliseconds that a response asks to wait: before this delivery's retry and, with 429 and 503, before any delivery. */
function requestedWait({ status, headers }: RequestResult): { retry: number; hold: number } {
  const retry = parseRetryAfter(headers?.['retry-after'], new Date());
  return { retry, hold: status === 429 || status === 503 ? retry : 0 };
}

/**
 * Writes the results of attempts, of any subscriptions, and what follows from them by the database's clock. A delivery
 * becomes delivered, pending until its retry, failed or expired. Its subscription's breaker, Retry-After and status
 * change with it.
 * @returns the subscriptions that changed
 */
export async function completeAttempts(finished: FinishedAttempt[]): Promise<SubscriptionChange[]> {
  const waits = finished.map(({ result }) => requestedWait(result));
  const delays = finished.map(({ attempt, result }, index) =>
    nextAttemptInMs(attempt, result, waits[index]?.retry ?? 0),
  );
  const attempts = finished.map(({ attempt }) => attempt);
  const results = finished.map(({ result }) => result);
  const handled = lastOfClaims(attempts);
  const { rows } = await deliveryPool.query<SubscriptionChange>({
    name: 'webhook_complete',
    text: COMPLETE,
    values: [
      plainArray(attempts, (attempt) => attempt.deliveryId),
      plainArray(attempts, (attempt) => attempt.claimId),
      plainArray(attempts, (attempt) => attempt.subscriptionId),
      plainArray(attempts, (attempt) => attempt.attemptId),
      plainArray(attempts, (attempt) => attempt.number),
      plainArray(attempts, (attempt) => attempt.trigger),
      joined(attempts.map((attempt) => attempt.body)),
      joined(attempts.map((attempt) => attempt.storedHeaders)),
      plainArray(results, (result) => result.succeeded),
      plainArray(delays, (delay) => delay),
      plainArray(results, (result) => result.durationMs),
      plainArray(results, (result) => result.status),
      joined(results.map(({ headers }) => (headers ? JSON.stringify(headers) : ''))),
      results.map((result) => result.body),
      plainArray(results, (result) => result.truncated),
      plainArray(results, (result) => result.peerAddress),
      plainArray(results, (result) => result.errorClass),
      results.map((result) => result.errorMessage),
      joined(results.map((result) => JSON.stringify(result.timings))),
      plainArray(waits, ({ hold }) => hold),
      plainArray(results, (result) => result.blameless),
      plainArray(attempts, (attempt) => attempt.claimedWith && attempt.eventId),
      plainArray(attempts, (attempt) => attempt.sentAt),
      handled,
      plainArray(attempts, (_, index) => index + 1),
    ],
  });
  await noteStored(attempts, handled);
  return rows;
}
