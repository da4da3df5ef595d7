import { TZDate } from '@date-fns/tz';
import { hasZone } from './time';

/**
 * One spelling of a zone for all that is kept by it: runtimes know zones in any case, of which a name with twenty letters has a
 * million.
 */
const keyOf = (zone: string) => zone.toLowerCase();

/** Zones by their key, as `shownZone` has them. */
const shown = new Map<string, string>();

/**
 * The zone in which times of `zone` are shown here: UTC where this runtime does not know it. A browser's time zones may be years older
 * than the server's, and an error of one time would take the whole page.
 */
export function shownZone(zone: string): string {
  const key = keyOf(zone);
  const known = shown.get(key);
  if (known) return known;
  const made = hasZone(key) ? key : 'utc';
  shown.set(key, made);
  return made;
}

/** Every IANA zone that this runtime supports, UTC first. */
export function allZones(): string[] {
  return ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];
}

/** The value of `<input type="datetime-local">` (`2026-11-21T18:00`) for an instant in a zone. */
export function toLocalInput(iso: string, zone: string): string {
  const date = new TZDate(iso, shownZone(zone));
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** The instant (ISO 8601, UTC) of a local time in the zone; null when `local` is incomplete. */
export function fromLocalInput(local: string, zone: string): string | null {
  const match = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})/.exec(local);
  if (!match) return null;
  const [year, month, day, hour, minute] = match.slice(1).map(Number) as [number, number, number, number, number];
  const time = new TZDate(year, month - 1, day, hour, minute, shownZone(zone)).getTime();
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}

/** The instant (ISO 8601, UTC) that many weeks later, at the same local time in the zone. */
export function weeksLater(iso: string, weeks: number, zone: string): string {
  const date = new TZDate(iso, shownZone(zone));
  date.setDate(date.getDate() + 7 * weeks);
  return new Date(date.getTime()).toISOString();
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** A cached format: creating one takes far longer than using it, and a table has hundreds of times. */
function formatOf(locale: string, options: Intl.DateTimeFormatOptions & { timeZone: string }): Intl.DateTimeFormat {
  const key = `${locale} ${keyOf(options.timeZone)} ${options.timeZoneName ?? ''}`;
  const known = formats.get(key);
  if (known) return known;
  const made = new Intl.DateTimeFormat(locale, { ...options, timeZone: shownZone(options.timeZone) });
  formats.set(key, made);
  return made;
}

/** The zone's short name at an instant: `CET`, `EST`, or `GMT+3` where English has no name. */
export function zoneName(at: Date, zone: string): string {
  let name = zone;
  for (const locale of ['en-US', 'en-GB', 'en-AU']) {
    const parts = formatOf(locale, { timeZone: zone, timeZoneName: 'short' }).formatToParts(at);
    name = parts.find((part) => part.type === 'timeZoneName')?.value ?? name;
    if (!/^(GMT|UTC)[+-]/.test(name)) return name;
  }
  return name;
}

/** An instant in a zone: `{ weekday: 'Sat', day: '21', month: 'Nov', year: '2026', time: '18:00' }`. */
export function partsOf(at: Date, zone: string) {
  const parts = formatOf('en-GB', {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone: zone,
  }).formatToParts(at);
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.find((each) => each.type === type)?.value ?? '';
  return {
    weekday: part('weekday'),
    day: part('day'),
    month: part('month').slice(0, 3),
    year: part('year'),
    time: `${part('hour')}:${part('minute')}`,
  };
}

/**
 * `Sat 21 Nov 2026, 18:00 CET`; `short` is `21 Nov, 18:00 CET`; `date` and `time` are one part. A time always has its zone.
 * Built from parts, so that server and browser format it identically with different versions of ICU.
 */
export function formatInstant(iso: string, zone: string, style: 'full' | 'short' | 'date' | 'time' = 'full'): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return iso;
  const { weekday, day, month, year, time: hours } = partsOf(at, zone);
  const date = `${day} ${month}`;
  const time = `${hours} ${zoneName(at, zone)}`;
  if (style === 'time') return time;
  if (style === 'date') return `${date} ${year}`;
  if (style === 'short') return `${date}, ${time}`;
  return `${weekday} ${date} ${year}, ${time}`;
}

const steps: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** `in 3 hours`, `2 days ago`, `just now`. Both in milliseconds since 1970. */
export function formatRelative(at: number, now: number): string {
  const seconds = Math.round((at - now) / 1000);
  for (const [unit, size] of steps) {
    if (Math.abs(seconds) >= size) return relative.format(Math.trunc(seconds / size), unit);
  }
  return seconds > 10 ? 'in less than a minute' : 'just now';
}

const two = (value: number) => String(value).padStart(2, '0');

/**
 * Remaining time, more precise the less there is: `12 days` from a week on, `2d 7h` from two days on, else `1d
 * 07:14:58`.
 */
export function formatRemaining(milliseconds: number): string {
  const total = Math.max(0, Math.ceil(milliseconds / 1000));
  const days = Math.floor(total / 86_400);
  const hours = Math.floor(total / 3_600) % 24;
  if (days >= 7) return `${days.toLocaleString('en')} days`;
  if (days >= 2) return `${days}d ${hours}h`;
  const clock = `${two(hours)}:${two(Math.floor(total / 60) % 60)}:${two(total % 60)}`;
  return days > 0 ? `${days}d ${clock}` : clock;
}
