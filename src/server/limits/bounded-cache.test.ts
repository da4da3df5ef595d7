import { expect, test } from 'vitest';
import { BoundedCache } from './bounded-cache';

const keys = ['a1', 'a2', 'a3', 'b1', 'b2'];

test('the owner with the most makes room, with what was read longest ago', () => {
  const kept = new BoundedCache<string>(100);
  const put = (key: string, size: number) => kept.put(key, { owner: key[0] ?? '', size, value: key });
  put('a1', 30);
  put('b1', 20);
  put('a2', 30);
  expect(kept.get('a1')).toBe('a1');
  put('a3', 30);
  expect(keys.filter((key) => kept.get(key))).toEqual(['a1', 'a3', 'b1']);
  put('b2', 20);
  expect(keys.filter((key) => kept.get(key))).toEqual(['a1', 'a3', 'b1', 'b2']);
  put('b1', 25);
  expect(keys.filter((key) => kept.get(key))).toEqual(['a3', 'b1', 'b2']);
});

test('what is larger than everything that may be kept is kept alone', () => {
  const kept = new BoundedCache<string>(100);
  kept.put('a1', { owner: 'a', size: 60, value: 'a1' });
  kept.put('b1', { owner: 'b', size: 400, value: 'b1' });
  expect(keys.filter((key) => kept.get(key))).toEqual(['a1', 'b1']);
  kept.put('a2', { owner: 'a', size: 10, value: 'a2' });
  expect(keys.filter((key) => kept.get(key))).toEqual(['a1', 'a2']);
});

test('what is put again or deleted makes no room twice', () => {
  const kept = new BoundedCache<string>(100);
  kept.put('a1', { owner: 'a', size: 80, value: 'a1' });
  kept.put('a1', { owner: 'a', size: 50, value: 'a1' });
  kept.put('b1', { owner: 'b', size: 50, value: 'b1' });
  expect(keys.filter((key) => kept.get(key))).toEqual(['a1', 'b1']);
  kept.delete('a1');
  kept.delete('a1');
  kept.put('a2', { owner: 'a', size: 50, value: 'a2' });
  expect(keys.filter((key) => kept.get(key))).toEqual(['a2', 'b1']);
});

test('owners with one each, every one larger than all before, make room too', () => {
  const kept = new BoundedCache<string>(100);
  const names = ['a', 'b', 'c', 'd', 'e'];
  for (const [at, owner] of names.entries()) kept.put(owner, { owner, size: 60 + at, value: owner });
  expect(names.filter((name) => kept.get(name))).toEqual(['a', 'e']);
});
