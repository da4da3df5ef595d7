/** The ticks of a value axis: whole numbers from 0 to at least `max`, in four or five even steps of 1, 2 or 5. */
export function valueTicks(max: number): number[] {
  const rough = Math.max(max, 1) / 4;
  const magnitude = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, ([1, 2, 5].find((factor) => factor * magnitude >= rough) ?? 10) * magnitude);
  return Array.from({ length: Math.ceil(Math.max(max, 1) / step) + 1 }, (_, index) => index * step);
}

/** The n for labeling every n-th item, so that an axis gets at most `maxLabels` labels. */
export function labelInterval(count: number, maxLabels: number): number {
  return Math.max(1, Math.ceil(count / maxLabels));
}
