import { expect, test } from 'vitest';
import { nestsTooDeep } from './json-depth';

const padded = (text: string) => Buffer.from(text.padEnd(10_000, ' '));

test('tells what nests deeper than any input', () => {
  expect(nestsTooDeep(padded('['.repeat(100) + ']'.repeat(100)))).toBe(false);
  expect(nestsTooDeep(padded('['.repeat(101) + ']'.repeat(101)))).toBe(true);
  expect(nestsTooDeep(padded(`${'{"a":'.repeat(101)}1${'}'.repeat(101)}`))).toBe(true);
  expect(nestsTooDeep(Buffer.from(JSON.stringify(Array(2_000).fill([]))))).toBe(false);
});

test('brackets in texts nest nothing', () => {
  expect(nestsTooDeep(padded(JSON.stringify({ a: '['.repeat(500), b: `"\\${'{'.repeat(500)}` })))).toBe(false);
  expect(nestsTooDeep(padded(`"\\"${'['.repeat(500)}"`))).toBe(false);
});
