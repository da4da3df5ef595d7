/**
 * How far this machine's clock is from the server's. A `Date` header says the second in which the answer left; every
 * answer narrows the interval in which the difference can lie.
 */
let low = Number.NEGATIVE_INFINITY;
let high = Number.POSITIVE_INFINITY;

/** Takes in one answer: its `Date` header and when, in local milliseconds, the request left and the answer came. */
export function observeServerTime(dateHeader: string | null, sentAt: number, receivedAt: number): void {
  const second = dateHeader ? Date.parse(dateHeader) : Number.NaN;
  if (Number.isNaN(second)) return;
  const least = second - receivedAt;
  const most = second + 1000 - sentAt;
  const contradicts = least > high || most < low;
  low = contradicts ? least : Math.max(low, least);
  high = contradicts ? most : Math.min(high, most);
}

/** Milliseconds to add to the local clock; 0 as long as the two may agree. */
export function clockOffset(): number {
  if (low <= 0 && high >= 0) return 0;
  return Math.round((low + high) / 2);
}

/** The server's time in milliseconds since 1970, as well as this machine can tell. */
export function serverNow(): number {
  return Date.now() + clockOffset();
}
