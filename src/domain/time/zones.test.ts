import { describe, expect, it, vi } from 'vitest';
import { zoneFromCookie } from '@/domain/time/zone-cookie';
import {
  formatInstant,
  formatRelative,
  formatRemaining,
  fromLocalInput,
  partsOf,
  shownZone,
  toLocalInput,
  weeksLater,
  zoneName,
} from '@/domain/time/zones';

describe('zones', () => {
  it('reads a wall clock in its zone, summer and winter', () => {
    expect(fromLocalInput('2026-11-21T18:00', 'Europe/Berlin')).toBe('2026-11-21T17:00:00.000Z');
    expect(fromLocalInput('2026-07-21T18:00', 'Europe/Berlin')).toBe('2026-07-21T16:00:00.000Z');
    expect(fromLocalInput('2026-07-21T18:00', 'Asia/Kolkata')).toBe('2026-07-21T12:30:00.000Z');
    expect(fromLocalInput('2026-07', 'UTC')).toBeNull();
  });

  it('comes back to what was typed', () => {
    for (const zone of ['UTC', 'America/New_York', 'Asia/Kathmandu', 'Pacific/Chatham']) {
      expect(toLocalInput(String(fromLocalInput('2026-03-01T09:05', zone)), zone)).toBe('2026-03-01T09:05');
    }
  });

  it('names the zone', () => {
    const winter = new Date('2026-11-21T17:00:00Z');
    expect(zoneName(winter, 'Europe/Berlin')).toBe('CET');
    expect(zoneName(winter, 'America/New_York')).toBe('EST');
    expect(formatInstant('2026-11-21T17:00:00.000Z', 'Europe/Berlin')).toBe('Sat 21 Nov 2026, 18:00 CET');
    expect(formatInstant('2026-11-21T17:00:00.000Z', 'UTC', 'time')).toBe('17:00 UTC');
    expect(formatInstant('2026-11-21T17:00:00.000Z', 'UTC', 'date')).toBe('21 Nov 2026');
  });

  it('shows times of a zone that this runtime does not know in UTC', () => {
    const at = '2026-11-21T17:00:00.000Z';
    const zone = 'Mars/Phobos';
    expect(() => new Intl.DateTimeFormat('en', { timeZone: zone })).toThrow(RangeError);
    for (const style of ['full', 'short', 'date', 'time'] as const) {
      expect(formatInstant(at, zone, style)).toBe(formatInstant(at, 'UTC', style));
    }
    expect(formatInstant(at, zone)).toBe('Sat 21 Nov 2026, 17:00 UTC');
    expect(partsOf(new Date(at), zone)).toEqual(partsOf(new Date(at), 'UTC'));
    expect(zoneName(new Date(at), zone)).toBe('UTC');
    expect(toLocalInput(at, zone)).toBe('2026-11-21T17:00');
    expect(fromLocalInput('2026-11-21T17:00', zone)).toBe(at);
    expect(weeksLater(at, 1, zone)).toBe('2026-11-28T17:00:00.000Z');
    expect([zone, 'Asia/Tokyo'].map(shownZone)).toEqual(['utc', 'asia/tokyo']);
  });

  it('keeps one format of a zone, however its name is spelled', () => {
    const show = (zone: string) => [
      formatInstant('2026-11-21T17:00:00.000Z', zone),
      toLocalInput('2026-11-21T17:00:00.000Z', zone),
      zoneFromCookie(encodeURIComponent(zone)),
    ];
    const shown = show('America/Bogota');
    const made = vi.spyOn(Intl, 'DateTimeFormat');
    for (const zone of ['america/bogota', 'AMERICA/BOGOTA', 'aMERICA/Bogota', 'America/bogotA']) {
      expect(show(zone)).toEqual(shown);
    }
    expect(made).not.toHaveBeenCalled();
    made.mockRestore();
  });

  it('counts seconds only where they matter', () => {
    const hour = 3_600_000;
    expect(formatRemaining(379 * 24 * hour + 7 * hour)).toBe('379 days');
    expect(formatRemaining(7 * 24 * hour)).toBe('7 days');
    expect(formatRemaining(7 * 24 * hour - 1_000)).toBe('6d 23h');
    expect(formatRemaining(2 * 24 * hour)).toBe('2d 0h');
    expect(formatRemaining(2 * 24 * hour - 1_000)).toBe('1d 23:59:59');
    expect(formatRemaining(1_001)).toBe('00:00:02');
    expect(formatRemaining(-5)).toBe('00:00:00');
  });

  it('says how far away something is', () => {
    expect(formatRelative(3 * 3_600_000, 0)).toBe('in 3 hours');
    expect(formatRelative(0, 2 * 86_400_000)).toBe('2 days ago');
    expect(formatRelative(0, 2_000)).toBe('just now');
  });
});
