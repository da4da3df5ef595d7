/** Twice as long as the longest that there is: what is longer is neither tried nor remembered. */
const maxNameLength = 64;
const known = new Map<string, boolean>();

/** Whether `name` is an IANA time zone that this runtime supports (`Europe/Berlin`, `UTC`), and not an offset (`+02:00`). */
export function isTimeZone(name: string): boolean {
  if (name.length > maxNameLength) return false;
  const before = known.get(name);
  if (before !== undefined) return before;
  const valid = /^[A-Za-z]/.test(name) && parses(name);
  if (known.size < 2_000) known.set(name, valid);
  return valid;
}

function parses(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

const firstYear = Date.parse('0001-01-01T00:00:00.000Z');
/** The last moment that a timestamp here can be, in milliseconds. */
export const lastMoment = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * Whether a timestamp is in the years 1 to 9999 (UTC): PostgreSQL has no year 0, and ISO 8601 years have four digits. True
 * for text that is not a timestamp, which other checks report.
 */
export function hasPlainYear(timestamp: string): boolean {
  const at = Date.parse(timestamp);
  return Number.isNaN(at) || (at >= firstYear && at <= lastMoment);
}
