import { expect, test } from 'vitest';
import { isMisshapen } from './json-shape';

const padded = (text: string) => Buffer.from(text.padEnd(10_000, ' '));

test('tells what nests deeper than any input', () => {
  expect(isMisshapen(Buffer.from('\ufeff{}'))).toBe(true);
  expect(isMisshapen(padded('['.repeat(100) + ']'.repeat(100)))).toBe(false);
  expect(isMisshapen(padded('['.repeat(101) + ']'.repeat(101)))).toBe(true);
  expect(isMisshapen(padded(`${'{"a":'.repeat(101)}1${'}'.repeat(101)}`))).toBe(true);
  expect(isMisshapen(Buffer.from(JSON.stringify(Array(2_000).fill([]))))).toBe(false);
});

test('brackets in texts nest nothing', () => {
  expect(isMisshapen(padded(JSON.stringify({ a: '['.repeat(500), b: `"\\${'{'.repeat(500)}` })))).toBe(false);
  expect(isMisshapen(padded(`"\\"${'['.repeat(500)}"`))).toBe(false);
});

test('tells what is wider than any input, in objects and in all', () => {
  const object = (fields: number) => Object.fromEntries(Array.from({ length: fields }, (_, at) => [`field${at}`, at]));
  expect(isMisshapen(Buffer.from(JSON.stringify([object(1_000), object(1_000)])))).toBe(false);
  expect(isMisshapen(Buffer.from(JSON.stringify({ answers: object(1_001) })))).toBe(true);
  expect(isMisshapen(Buffer.from(JSON.stringify(Array(100_000).fill(0))))).toBe(false);
  expect(isMisshapen(Buffer.from(JSON.stringify(Array(150_002).fill(0))))).toBe(true);
  expect(isMisshapen(Buffer.from(JSON.stringify(Array(80_000).fill({}))))).toBe(true);
  expect(isMisshapen(Buffer.from(JSON.stringify(Array(30_000).fill({}))))).toBe(false);
  expect(isMisshapen(Buffer.from(JSON.stringify(Array(30_001).fill({}))))).toBe(true);
  expect(isMisshapen(Buffer.from(JSON.stringify({ text: ','.repeat(200_000) })))).toBe(false);
});

test('tells numbers that are longer as PostgreSQL writes them', () => {
  const fits = [0, -1, 1e20, -1e20, 1e-20, 0.1 + 0.2, Number.MAX_SAFE_INTEGER, 60_000.123_456_789, true, false, null];
  expect(isMisshapen(Buffer.from(JSON.stringify({ fits, text: '1e308', '1e308': '\\"1e308' })))).toBe(false);
  expect(
    isMisshapen(Buffer.from('{"a":0.0e0,"b":0.00000000000000000000000000,"c":1.00000000000000000000000000}')),
  ).toBe(false);
  const long = ['1e308', '-1E+308', '1e999', '5e-324', `1${'0'.repeat(300)}`, `0.${'0'.repeat(300)}1`, '2e20'];
  for (const number of long) expect(isMisshapen(Buffer.from(`{"a":[${number}]}`)), number).toBe(true);
});

test('tells more different beginnings of objects than any input has', () => {
  const json = (objects: unknown) => isMisshapen(Buffer.from(JSON.stringify({ objects })));
  const objects = (count: number, make: (at: number) => object) => Array.from({ length: count }, (_, at) => make(at));
  expect(json(objects(2_726, (at) => ({ [`key${at}`]: 0 })))).toBe(false);
  expect(json(objects(2_727, (at) => ({ [`key${at}`]: 0 })))).toBe(true);
  expect(json(objects(1_364, (at) => ({ id: 0, [`a${at}`]: { [`b${at}`]: 0 } })))).toBe(true);
  // The same fields in another order are another object to V8.
  const alphabet = [...'abcdefghijklmnopqrstuvwxyz'];
  const orders = alphabet.flatMap((a) => alphabet.flatMap((b) => alphabet.map((c) => ({ [a]: 0, [b]: 0, [c]: 0 }))));
  expect(json(orders)).toBe(true);
  expect(json(objects(17_000, () => ({ a: 0, b: 0, c: 0 })))).toBe(false);
});

test('texts that are no keys begin nothing', () => {
  const count = 14_000;
  const list = Array.from({ length: count }, (_, at) => [`text${at}`, {}, `more${at}`, { a: `value${at}`, b: [at] }]);
  expect(isMisshapen(Buffer.from(JSON.stringify(list)))).toBe(false);
  const escaped = Array.from({ length: count }, () => ({ 'a"b': '","c":"', 'a\\': '{"d' }));
  expect(isMisshapen(Buffer.from(JSON.stringify(escaped)))).toBe(false);
});
