import { expect, test } from 'vitest';
import { readInput } from './trpc-input';

const noted = (json: unknown, ...paths: string[]) =>
  readInput({ json, meta: { values: Object.fromEntries(paths.map((path) => [path, ['undefined']])) } });

test('what is noted as undefined is left out, wherever it stands', () => {
  expect(noted({ a: null, b: { c: null, d: 1 } }, 'a', 'b.c')).toEqual({ b: { d: 1 } });
  expect(Object.keys(noted({ a: null, b: 1 }, 'a') as object)).toEqual(['b']);
});

test('a note adds nothing', () => {
  for (const path of [
    'a',
    'a.b',
    'a.5000000',
    'a.length',
    '__proto__.toString',
    'constructor.prototype.toString',
    '',
  ]) {
    expect([path, noted({ a: [] }, path === 'a' ? 'b' : path)]).toEqual([path, { a: [] }]);
  }
  expect({}.toString).toBeTypeOf('function');
  expect(noted(null, 'a')).toBeNull();
  expect(noted('text', 'length')).toBe('text');
});

test('an input without notes is what was sent', () => {
  expect(readInput(undefined)).toBeUndefined();
  expect(readInput({})).toBeUndefined();
  expect(readInput({ json: { a: [null] }, meta: null })).toEqual({ a: [null] });
});

test('notes that take long to follow are refused', () => {
  for (const values of ['a'.repeat(100_000), [['undefined']], 7, true]) {
    expect(() => readInput({ json: {}, meta: { values } })).toThrow('missing or invalid');
  }
  expect(() => noted({}, 'a.'.repeat(20_000))).toThrow('missing or invalid');
  expect(() => noted({}, ...Array.from({ length: 1_001 }, (_, place) => `${place}`))).toThrow('missing or invalid');
});
