/** Twice as long as the longest that there is: what is longer is neither tried nor remembered. */
const maxNameLength = 64;
const known = new Map<string, boolean>();

/**
 * Names of ICU's own, which Node takes as well. ECMA-402 ("Use of the IANA Time Zone Database") allows only the zones and links of that
 * database, so some browsers refuse these; and by `BST` or `AST`, ICU means Dhaka and Anchorage.
 */
const notIana =
  /^(act|aet|agt|art|ast|bet|bst|cat|cnt|cst|ctt|eat|ect|iet|ist|jst|mit|net|nst|plt|pnt|prt|pst|sst|vst|systemv\/.*|us\/pacific-new|canada\/east-saskatchewan)$/;

/** Whether `name` is an IANA time zone that this runtime supports (`Europe/Berlin`, `UTC`), and not an offset (`+02:00`). */
export function isTimeZone(name: string): boolean {
  if (name.length > maxNameLength) return false;
  const key = name.toLowerCase();
  const before = known.get(key);
  if (before !== undefined) return before;
  const valid = /^[a-z]/.test(key) && !notIana.test(key) && hasZone(key);
  if (known.size < 2_000) known.set(key, valid);
  return valid;
}

/** Whether this runtime can show times in the zone, whatever it is called. */
export function hasZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
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
