import type { Tx } from '@/server/db';
import { holdReasonSql, releaseDeliveries } from '@/server/delivery/queue/hold';

/**
 * The circuit breaker of a subscription. It opens after `circuitBreakerThreshold` failures in a row. After
 * `circuitBreakerTimeoutMs` it is half open: one delivery is sent as a probe, which closes it or opens it again.
 *
 * The state changes in the statements that claim and complete attempts, so this file holds it as SQL. `s` is the
 * subscription's row and `sum` the summary of a batch of results, as `attempts/complete.ts` makes it.
 */

/** Between probes, for each that failed before, and the longest such wait. */
const probeWaitMs = 1_000;
const maxProbeWaitMs = 60_000;

/**
 * Failures in a row after a batch. A response with Retry-After does not count, except to a
 * probe: the wait that it asks for is enough.
 */
const streakSql = `((CASE WHEN sum.ok THEN 0 ELSE s."consecutiveFailures" END) + sum.strikes)`;
const closesSql = `((sum.probe_ok OR NOT s."enableCircuitBreaker") AND s."breakerState" <> 'closed')`;
const opensSql = `(s."enableCircuitBreaker" AND ((s."breakerState" = 'closed' AND ${streakSql} >= s."circuitBreakerThreshold")
  OR (s."breakerState" = 'half_open' AND sum.probe_failed)))`;

/**
 * Milliseconds until a probe. Those in a row that fail come ever later, whatever the timeout, up to a minute: each is stored,
 * and costs its delivery no retry.
 */
const retryMsSql = `greatest(s."circuitBreakerTimeoutMs", least(${maxProbeWaitMs}, ${probeWaitMs} * (${streakSql} - s."circuitBreakerThreshold")))`;

/** The breaker's columns after a batch of results. */
export const breakerColumnsSql = `
    "consecutiveFailures" = ${streakSql},
    "breakerState" = CASE WHEN ${closesSql} THEN 'closed' WHEN ${opensSql} THEN 'open' ELSE s."breakerState" END,
    "breakerOpenedAt" = CASE WHEN ${closesSql} THEN NULL WHEN ${opensSql} THEN now() ELSE s."breakerOpenedAt" END,
    "breakerRetryAt" = CASE WHEN ${closesSql} THEN NULL
      WHEN ${opensSql} THEN now() + ${retryMsSql} * interval '1 millisecond' ELSE s."breakerRetryAt" END`;

/** Whether a probe may be sent now. */
export const probeDueSql = `(s."breakerState" <> 'closed' AND ${holdReasonSql} = 'breaker'
    AND s."breakerRetryAt" <= clock_timestamp() AND (s."holdUntil" IS NULL OR s."holdUntil" <= clock_timestamp()))`;

/** Notes that a probe is under way. @param leaseEndSql when a probe without a result counts as lost */
export const halfOpenSql = (leaseEndSql: string) =>
  `UPDATE webhook_subscription s SET "breakerState" = 'half_open', "breakerRetryAt" = ${leaseEndSql} WHERE id = $1`;

/**
 * How many requests may be under way at once: should all of them fail, they open the breaker exactly and not more fail than
 * its threshold.
 * @param threshold failures in a row that open the breaker; null: there is none
 * @param streak failures in a row so far
 */
export function maxConcurrentRequests(parallel: number, threshold: number | null, streak: number): number {
  if (threshold === null) return parallel;
  return Math.min(parallel, Math.max(threshold - streak, 0));
}

/**
 * Closes the breaker of a subscription and ends a Retry-After, so that the next attempt starts at once. Call
 * `triggerDelivery` after the commit.
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
  await releaseDeliveries(tx, subscriptionId);
}
