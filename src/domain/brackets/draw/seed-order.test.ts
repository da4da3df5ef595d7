import { describe, expect, it } from 'vitest';
import { bracketSize, standardOrder } from './seed-order';

describe('standardOrder', () => {
  it('lets the best meet the lowest, and the two best only in the final', () => {
    expect(standardOrder(8)).toEqual([1, 8, 4, 5, 2, 7, 3, 6]);
    for (const size of [2, 4, 16, 256]) {
      const order = standardOrder(size);
      expect(order.toSorted((a, b) => a - b)).toEqual(Array.from({ length: size }, (_, at) => at + 1));
      for (let at = 0; at < size; at += 2) expect((order[at] ?? 0) + (order[at + 1] ?? 0)).toBe(size + 1);
      expect(order.indexOf(2)).toBe(size === 2 ? 1 : size / 2);
    }
  });
});

describe('bracketSize', () => {
  it('is the next power of two', () => {
    expect([1, 2, 3, 4, 5, 64, 65].map(bracketSize)).toEqual([2, 2, 4, 4, 8, 64, 128]);
  });
});
