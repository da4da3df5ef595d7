/** An Inngest server rounds the end of a sleep to the nearest second. */
const roundingMs = 500;

/** A moment to sleep until in order to wake after `moment` (ISO 8601) and not before, however the sleep is rounded. */
export function justAfter(moment: string): Date {
  return new Date(Date.parse(moment) + roundingMs);
}
