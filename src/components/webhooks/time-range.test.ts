import { expect, test } from 'vitest';
import { rangeOf, tickWords } from '@/components/webhooks/time-range';

test('charts show a day unless the query parameter names another range', () => {
  expect([rangeOf(null), rangeOf('7d'), rangeOf('1y')]).toEqual(['24h', '7d', '24h']);
});

test('ticks show the time within a day, and the date beyond', () => {
  expect(tickWords('2026-11-21T18:05:00.000Z', '24h', 'UTC')).toBe('18:05');
  expect(tickWords('2026-11-21T18:05:00.000Z', '30d', 'Asia/Tokyo')).toBe('22 Nov');
});
