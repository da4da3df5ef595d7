/** Spans of time that the charts can show, as the address names them. */
export const ranges = ['1h', '24h', '7d', '30d'] as const;
export type Range = (typeof ranges)[number];

export const rangeWords: Record<Range, string> = {
  '1h': 'Last hour',
  '24h': 'Last 24 hours',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
};

/** The range that an address asks for; a day when it asks for none. */
export function rangeOf(text: string | null | undefined): Range {
  return ranges.find((range) => range === text) ?? '24h';
}

/** A moment on the time axis: hours within a day, dates beyond. */
export function tickWords(at: string, range: Range, timeZone: string): string {
  const options: Intl.DateTimeFormatOptions =
    range === '1h' || range === '24h'
      ? { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }
      : { day: 'numeric', month: 'short' };
  return new Intl.DateTimeFormat('en-GB', { ...options, timeZone }).format(new Date(at));
}

/** A bucket in full, for tooltips and tables. */
export function bucketWords(at: string, timeZone: string): string {
  return new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone,
    timeZoneName: 'short',
  }).format(new Date(at));
}
