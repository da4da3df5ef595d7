import { type RetryPolicy, retryDelayMs, retryWindowMs, withJitter } from '@/domain/webhooks/retry';

/** The three forms of an HTTP date (RFC 9110). All are in UTC, though the oldest does not say so. */
const httpDate = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? [\w -]+ \d\d:\d\d:\d\d( GMT| \d{4})$/;

/**
 * Milliseconds that a `Retry-After` (seconds or an HTTP date) asks for: whole seconds, since a shorter wait would cost more
 * than it spares, and at most 24 hours; 0 without a readable one.
 */
export function parseRetryAfter(header: string | string[] | undefined, now: Date): number {
  const text = [header].flat()[0]?.trim() ?? '';
  let seconds = 0;
  if (/^\d+$/.test(text)) seconds = Number(text);
  else if (httpDate.test(text)) seconds = (Date.parse(text.replace(/\d{4}$/, '$& GMT')) - now.getTime()) / 1000;
  return Number.isFinite(seconds) ? Math.min(Math.max(Math.ceil(seconds) * 1000, 0), retryWindowMs) : 0;
}

/**
 * Milliseconds from a failed attempt until the next one; null when all retries are used up.
 * @param failures failed attempts so far, this one included
 * @param retryAfterMs what the response asked for; lengthens the delay and never shortens it
 * @param random from 0 to 1, for the jitter
 */
export function retryInMs(
  policy: RetryPolicy,
  failures: number,
  retryAfterMs: number,
  random: number = Math.random(),
): number | null {
  if (failures > policy.maxRetries) return null;
  const delay = withJitter(retryDelayMs(policy, failures), random);
  // Anything past the window expires the delivery; the limit keeps the number within a PostgreSQL interval.
  return Math.round(Math.min(Math.max(delay, retryAfterMs), 2 * retryWindowMs));
}

/**
 * Milliseconds from an attempt until the delivery's next one; null when it was delivered or has failed for good, as it has
 * after a 410. A failed probe of the breaker uses up none of the retries, and no failure of our own ends a delivery.
 */
export function nextAttemptInMs(
  attempt: { policy: RetryPolicy; failures: number; probe: boolean },
  result: { succeeded: boolean; status: number | null; blameless?: boolean },
  retryAfterMs: number,
  random: number = Math.random(),
): number | null {
  if (result.succeeded || result.status === 410) return null;
  const { policy, failures, probe } = attempt;
  if (probe || result.blameless) return retryInMs({ ...policy, maxRetries: 1 }, 1, retryAfterMs, random);
  return retryInMs(policy, failures + 1, retryAfterMs, random);
}
