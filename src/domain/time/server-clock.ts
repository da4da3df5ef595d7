/**
 * The bounds of the difference between the server's clock and this one. A `Date` header gives the second in which a response
 * was sent, so that every response narrows the interval.
 */
let low = Number.NEGATIVE_INFINITY;
let high = Number.POSITIVE_INFINITY;

/** Records one response: its `Date` header, and the local times (ms) of the request and the response. */
export function observeServerTime(dateHeader: string | null, sentAt: number, receivedAt: number): void {
  const second = dateHeader ? Date.parse(dateHeader) : Number.NaN;
  if (Number.isNaN(second)) return;
  const min = second - receivedAt;
  const max = second + 1000 - sentAt;
  const contradicts = min > high || max < low;
  low = contradicts ? min : Math.max(low, min);
  high = contradicts ? max : Math.min(high, max);
}

/** Milliseconds to add to the local clock; 0 as long as the clocks may agree. */
export function clockOffset(): number {
  if (low <= 0 && high >= 0) return 0;
  return Math.round((low + high) / 2);
}

/** The estimated time of the server, in milliseconds since 1970. */
export function serverNow(): number {
  return Date.now() + clockOffset();
}
