import { expect, test } from 'vitest';
import { isVisibleOutside } from './visibility';

test('outsiders see what was published and is not private', () => {
  const publishedAt = new Date();
  expect(isVisibleOutside({ publishedAt, visibility: 'public' })).toBe(true);
  expect(isVisibleOutside({ publishedAt, visibility: 'unlisted' })).toBe(true);
  expect(isVisibleOutside({ publishedAt, visibility: 'private' })).toBe(false);
  expect(isVisibleOutside({ publishedAt: null, visibility: 'public' })).toBe(false);
});
