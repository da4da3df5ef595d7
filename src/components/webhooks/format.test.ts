import { expect, test } from 'vitest';
import { describeRateLimits, formatDuration, formatRate } from '@/components/webhooks/format';

test('durations use the unit that fits them', () => {
  expect([null, 0, 340.4, 1_250, 90_000, 7_200_000].map(formatDuration)).toEqual([
    '–',
    '0 ms',
    '340 ms',
    '1.3 s',
    '1.5 min',
    '2 h',
  ]);
});

test('a rate is 100% only when nothing failed', () => {
  expect([null, 1, 0.9999, 0.995, 0.756, 0.0004, 0].map(formatRate)).toEqual([
    '–',
    '100%',
    '99.9%',
    '99.5%',
    '76%',
    '0%',
    '0%',
  ]);
});

test('only the rate limits that are set are described', () => {
  expect(describeRateLimits({ perMinute: 60, perHour: null, perDay: 10_000, burst: 5 })).toBe(
    '60 per minute, 10,000 per day, 5 per second',
  );
  expect(describeRateLimits({})).toBe('');
});
