import { expect, test } from 'vitest';
import { labelInterval, valueTicks } from '@/components/ui/chart/scale';

test.each([
  [0, [0, 1]],
  [1, [0, 1]],
  [3, [0, 1, 2, 3]],
  [7, [0, 2, 4, 6, 8]],
  [20, [0, 5, 10, 15, 20]],
  [101, [0, 50, 100, 150]],
  [3_400, [0, 1_000, 2_000, 3_000, 4_000]],
])('the axis for values up to %i', (most, ticks) => {
  expect(valueTicks(most)).toEqual(ticks);
});

test('there are never more labels than there is room for', () => {
  for (const count of [1, 6, 7, 24, 60, 90]) {
    expect(Math.ceil(count / labelInterval(count, 6))).toBeLessThanOrEqual(6);
  }
});
