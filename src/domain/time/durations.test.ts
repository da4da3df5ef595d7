import { expect, test } from 'vitest';
import { day, durationInWords, hour, minute, second } from '@/domain/time/durations';

test.each([
  [7 * day, '7 days'],
  [day, '1 day'],
  [36 * hour, '36 hours'],
  [hour, '1 hour'],
  [15 * minute, '15 minutes'],
  [90 * second, '90 seconds'],
])('%i ms is written as %s', (milliseconds, words) => {
  expect(durationInWords(milliseconds)).toBe(words);
});
