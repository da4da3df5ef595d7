/** When a failed delivery is attempted again. The server retries by this and the form shows it. */

/** No attempt starts later than this after the event, or after the last replay. */
export const retryWindowHours = 24;
export const retryWindowMs = retryWindowHours * 3_600_000;

/** Share by which a delay varies to either side, so that deliveries that failed together do not come back together. */
const jitter = 0.1;

export type RetryPolicy = {
  /** Retries after the first attempt. */
  maxRetries: number;
  /** Delay before the first retry. */
  retryBaseDelayMs: number;
  /** Each later delay is this many times the one before. */
  retryBackoffMultiplier: number;
};

export const retryBounds = {
  maxRetries: { min: 0, max: 10, default: 6 },
  retryBaseDelayMs: { min: 1_000, max: 60_000, default: 5_000 },
  retryBackoffMultiplier: { min: 1, max: 10, default: 4 },
} as const;

export const defaultRetryPolicy: RetryPolicy = {
  maxRetries: retryBounds.maxRetries.default,
  retryBaseDelayMs: retryBounds.retryBaseDelayMs.default,
  retryBackoffMultiplier: retryBounds.retryBackoffMultiplier.default,
};

/** Milliseconds between an attempt that failed and retry number `retry` (from 1), without jitter. */
export function retryDelayMs(policy: RetryPolicy, retry: number): number {
  return policy.retryBaseDelayMs * policy.retryBackoffMultiplier ** (retry - 1);
}

/** @param random from 0 to 1 */
export function withJitter(delayMs: number, random: number = Math.random()): number {
  return delayMs * (1 - jitter + 2 * jitter * random);
}

/** Seconds after the event at which each attempt starts when every one fails at once, without jitter. */
export function retrySchedule(policy: RetryPolicy): number[] {
  const times = [0];
  let atMs = 0;
  for (let retry = 1; retry <= policy.maxRetries; retry += 1) {
    atMs += retryDelayMs(policy, retry);
    if (atMs >= retryWindowMs) break;
    times.push(Math.round(atMs / 1_000));
  }
  return times;
}
