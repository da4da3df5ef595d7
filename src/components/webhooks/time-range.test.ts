import { expect, test } from 'vitest';
import { formatBucket, formatTick, parseTimeRange } from '@/components/webhooks/time-range';

test('charts show a day unless the query parameter names another range', () => {
  expect([parseTimeRange(null), parseTimeRange('7d'), parseTimeRange('1y')]).toEqual(['24h', '7d', '24h']);
});

test('ticks show the time within a day, and the date beyond', () => {
  expect(formatTick('2026-11-21T18:05:00.000Z', '24h', 'UTC')).toBe('18:05');
  expect(formatTick('2026-11-21T18:05:00.000Z', '30d', 'Asia/Tokyo')).toBe('22 Nov');
  expect(formatTick('2026-11-21T18:05:00.000Z', '24h', 'Mars/Phobos')).toBe('18:05');
  expect(formatBucket('2026-11-21T18:05:00.000Z', 'Mars/Phobos')).toBe('21 Nov, 18:05 UTC');
});
