import { expect, test } from 'vitest';
import { zoneFromCookie } from './zone-cookie';

test('a zone that the runtime knows is taken', () => {
  expect(zoneFromCookie('Europe%2FBerlin')).toBe('Europe/Berlin');
  expect(zoneFromCookie('UTC')).toBe('UTC');
});

test('anything else in the cookie is no zone', () => {
  for (const value of [undefined, '', 'Mars/Olympus', '%', '<script>', 'Europe/Berlin'.repeat(20)]) {
    expect(zoneFromCookie(value)).toBeNull();
  }
});
