import { expect, test } from 'vitest';
import { kindOf } from './calls';

test('names that callers make up are one kind of request', () => {
  expect(kindOf('tournaments.list')).toBe('tournaments.list');
  expect(['tournaments.lists', 'x'.repeat(4_000), ''].map(kindOf)).toEqual(['', '', '']);
});
