import { shownZone } from '@/domain/time/zones';

/** The time ranges of charts and filters, by the value of their query parameter. */
export const timeRanges = ['1h', '24h', '7d', '30d'] as const;
export type TimeRange = (typeof timeRanges)[number];

export const timeRangeLabels: Record<TimeRange, string> = {
  '1h': 'Last hour',
  '24h': 'Last 24 hours',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
};

/** Reads a time range from a query parameter; 24 hours if there is none. */
export function parseTimeRange(text: string | null | undefined): TimeRange {
  return timeRanges.find((range) => range === text) ?? '24h';
}

/** The label of a tick on the time axis: the time for ranges up to a day, the date for longer ones. */
export function formatTick(at: string, range: TimeRange, timeZone: string): string {
  const options: Intl.DateTimeFormatOptions =
    range === '1h' || range === '24h'
      ? { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }
      : { day: 'numeric', month: 'short' };
  return new Intl.DateTimeFormat('en-GB', { ...options, timeZone: shownZone(timeZone) }).format(new Date(at));
}

/** The start of a bucket in full, for tooltips and tables. */
export function formatBucket(at: string, timeZone: string): string {
  return new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone: shownZone(timeZone),
    timeZoneName: 'short',
  }).format(new Date(at));
}
