/** A duration in its natural unit: `340 ms`, `1.3 s`, `2 h`. */
export function formatDuration(milliseconds: number | null): string {
  if (milliseconds === null) return '–';
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${Number((milliseconds / 1_000).toFixed(1))} s`;
  if (milliseconds < 3_600_000) return `${Number((milliseconds / 60_000).toFixed(1))} min`;
  return `${Number((milliseconds / 3_600_000).toFixed(1))} h`;
}

/** A rate from 0 to 1 as a percentage. It shows 100% only when nothing failed. */
export function formatRate(rate: number | null): string {
  if (rate === null) return '–';
  if (rate >= 1) return '100%';
  const percent = rate * 100;
  if (percent > 99.9) return '99.9%';
  return `${percent >= 99 || percent < 10 ? Number(percent.toFixed(1)) : Math.round(percent)}%`;
}

type RateLimits = {
  perMinute?: number | null;
  perHour?: number | null;
  perDay?: number | null;
  /** Per second. */
  burst?: number | null;
};

/** Rate limits in words, or an empty string when there are none: `60 per minute, 5 per second`. */
export function describeRateLimits({ perMinute, perHour, perDay, burst }: RateLimits): string {
  const limits = [
    [perMinute, 'minute'],
    [perHour, 'hour'],
    [perDay, 'day'],
    [burst, 'second'],
  ] as const;
  return limits.flatMap(([max, unit]) => (max ? [`${max.toLocaleString('en')} per ${unit}`] : [])).join(', ');
}
