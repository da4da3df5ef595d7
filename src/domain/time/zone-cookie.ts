import { isTimeZone } from './time';

/** The cookie in which a browser keeps its time zone. */
export const zoneCookie = 'laurel_zone';

const yearInSeconds = 31_536_000;

/** Runs in the head of every page: remembers the browser's zone, so that the next page is rendered with the right hours. */
export const zoneScript = `document.cookie='${zoneCookie}='+encodeURIComponent(Intl.DateTimeFormat().resolvedOptions().timeZone||'UTC')+';path=/;max-age=${yearInSeconds};samesite=lax';`;

/** Zones that this runtime knows, by their names in lower case: each has a million spellings, and is looked up for every page. */
const known = new Map<string, string>();

/** The zone of a cookie's value; null when this runtime knows no such zone. Anyone can write anything into a cookie. */
export function zoneFromCookie(value: string | undefined): string | null {
  if (!value || value.length > 60) return null;
  try {
    const name = decodeURIComponent(value).toLowerCase();
    const before = known.get(name);
    if (before !== undefined) return before;
    if (!isTimeZone(name)) return null;
    const zone = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
    known.set(name, zone);
    return zone;
  } catch {
    return null;
  }
}
