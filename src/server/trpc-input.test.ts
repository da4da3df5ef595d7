import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { maxIssues } from './errors';
import { boundIssues, readInput } from './trpc-input';

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

const rows = () =>
  z.object({
    rows: z.array(z.object({ names: z.array(z.string().min(1)), more: z.record(z.string(), z.number()).optional() })),
  });
const name = fc.constantFrom('', 'Ada', 7);
const row = fc.record(
  { names: fc.array(name, { maxLength: 60 }), more: fc.dictionary(fc.string(), fc.constantFrom(1, 'two')) },
  { requiredKeys: ['names'] },
);

test.each([
  ['synchronously', (schema: z.ZodType, value: unknown) => schema.safeParse(value)],
  ['asynchronously', (schema: z.ZodType, value: unknown) => schema.safeParseAsync(value)],
])('a bounded schema accepts what it did, and finds the same first issues, %s', async (_way, check) => {
  const [plain, bounded] = [rows(), rows()];
  boundIssues(bounded);
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 20 }), async (value) => {
      const [before, now] = [await check(plain, { rows: value }), await check(bounded, { rows: value })];
      expect(now.success).toBe(before.success);
      expect(now.data).toEqual(before.data);
      expect(now.error?.issues.slice(0, maxIssues)).toEqual(before.error?.issues.slice(0, maxIssues));
    }),
  );
});

test('a list in which too much is wrong is not looked at to its end', () => {
  let looked = 0;
  const member = z.number().refine(() => {
    looked += 1;
    return false;
  });
  const lists = z.object({ lists: z.array(z.array(member)) });
  boundIssues(lists);
  const many = Array.from({ length: 200 }, () => Array.from({ length: 200 }, () => 1));
  expect(lists.safeParse({ lists: many }).success).toBe(false);
  expect(looked).toBe(maxIssues);
  expect(lists.safeParse({ lists: [[]] }).success).toBe(true);
});

test('ways to be right that a member is not right in count as nothing, and outputs are checked whole', () => {
  const text = z.string();
  const value = z.union([text, z.array(text)]);
  const rows = z.object({ rows: z.array(z.object({ value })) });
  boundIssues(rows);
  const many = { rows: Array.from({ length: 300 }, () => ({ value: ['a', 'b'] })) };
  expect(rows.safeParse(many).success).toBe(true);
  expect(z.array(rows.shape.rows.element).safeParse(many.rows).success).toBe(true);
  expect(z.array(text).safeParse(Array.from({ length: 300 }, () => 7)).error?.issues).toHaveLength(300);
});
