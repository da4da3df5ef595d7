import { describe, expect, test } from 'vitest';
import { defaultRetryPolicy, retryDelayMs, retrySchedule, withJitter } from '@/domain/webhooks/retry';

describe('the retry schedule', () => {
  test('of the default policy ends after six retries, within two hours', () => {
    expect(retrySchedule(defaultRetryPolicy)).toEqual([0, 5, 25, 105, 425, 1_705, 6_825]);
  });

  test('contains nothing beyond 24 hours', () => {
    const slow = { maxRetries: 10, retryBaseDelayMs: 60_000, retryBackoffMultiplier: 10 };
    expect(retrySchedule(slow)).toEqual([0, 60, 660, 6_660, 66_660]);
  });

  test('of no retries is the first attempt', () => {
    expect(retrySchedule({ ...defaultRetryPolicy, maxRetries: 0 })).toEqual([0]);
  });
});

test('each delay is the multiplier times the one before, and varies by a tenth', () => {
  expect([1, 2, 3].map((retry) => retryDelayMs(defaultRetryPolicy, retry))).toEqual([5_000, 20_000, 80_000]);
  expect([withJitter(1_000, 0), withJitter(1_000, 0.5), withJitter(1_000, 1)]).toEqual([900, 1_000, 1_100]);
});
