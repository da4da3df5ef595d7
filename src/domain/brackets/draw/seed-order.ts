/** The smallest power of two that holds `count` participants, at least 2. */
export function bracketSize(count: number): number {
  let size = 2;
  while (size < count) size *= 2;
  return size;
}

/**
 * Seeds from top to bottom of a standard bracket of `size` lines, a power of two: seed 1 meets the lowest seed, and
 * seeds 1 and 2 can only meet in the final. Lines 0 and 1 are the first match.
 */
export function standardOrder(size: number): number[] {
  let order = [1];
  while (order.length < size) {
    const sum = order.length * 2 + 1;
    order = order.flatMap((seed) => [seed, sum - seed]);
  }
  return order;
}
