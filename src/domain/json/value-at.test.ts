import fc from 'fast-check';
import { expect, test } from 'vitest';
import { valueAt } from './value-at';

const value = { data: { a: { b: 1 }, list: ['x', 'y'] } };

test('a dotted path leads into objects and lists', () => {
  expect(valueAt(value, 'data.a.b')).toBe(1);
  expect(valueAt(value, 'data.list.1')).toBe('y');
});

test('what is not there is undefined, and so is what the value inherits', () => {
  for (const path of ['', 'data.missing', 'data.a.b.c', 'toString', '__proto__', 'data.constructor.name']) {
    expect(valueAt(value, path)).toBeUndefined();
  }
});

test('no path and no value makes it throw', () => {
  fc.assert(fc.property(fc.jsonValue(), fc.string(), (json, path) => void valueAt(json, path)));
});
