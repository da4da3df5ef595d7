/** The whole numbers that a value axis names: from 0 to at least `most`, in four or five even steps of 1, 2 or 5. */
export function valueTicks(most: number): number[] {
  const rough = Math.max(most, 1) / 4;
  const magnitude = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, ([1, 2, 5].find((factor) => factor * magnitude >= rough) ?? 10) * magnitude);
  return Array.from({ length: Math.ceil(Math.max(most, 1) / step) + 1 }, (_, index) => index * step);
}

/** Every n-th of the items, so that there are at most as many as the axis has room for. */
export function labelStep(count: number, room: number): number {
  return Math.max(1, Math.ceil(count / room));
}
