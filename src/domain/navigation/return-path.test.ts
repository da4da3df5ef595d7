import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pathWith, returnPath } from '@/domain/navigation/return-path';

test('paths of this site are returned', () => {
  for (const path of ['/', '/me', '/tournaments/cup?tab=rules#top', '/invitations/a-b_c']) {
    expect(returnPath(path)).toBe(path);
  }
});

test('nothing leads to another site', () => {
  for (const path of ['//evil.test', '/\\evil.test', 'https://evil.test', 'javascript:alert(1)', '/\t/evil.test', '']) {
    expect(returnPath(path)).toBe('/me');
  }
  for (const path of ['/\uff0fevil.test', '/caf\u00e9', '/\u0000', '/a\u2028']) expect(returnPath(path)).toBe('/me');
  expect(returnPath(undefined, '/')).toBe('/');
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('/', '\\', '\t', '\n', ' ', ':', '.', '@', 'a', '?') }), (text) => {
      expect(new URL(returnPath(text), 'https://laurel.test').host).toBe('laurel.test');
    }),
  );
});

test('empty parameters are left out', () => {
  expect(pathWith('/sign-in', { next: '/me?a=1', email: undefined })).toBe('/sign-in?next=%2Fme%3Fa%3D1');
  expect(pathWith('/sign-in', {})).toBe('/sign-in');
});
