import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { compiled, fillIn, isKept, keep, setAside, toJson } from './compiled';

/** A schema that counts what it checks, and an output with a field that it does not have. */
function makeOutput() {
  const check = vi.fn(() => true);
  const schema = compiled(z.object({ names: z.array(z.string()).refine(check) }));
  const output = { names: ['a', 'b'], hidden: 1 };
  return { check, schema, output };
}

test('what is kept is checked and written once', async () => {
  const { check, schema, output } = makeOutput();
  const kept = keep(schema, output);
  expect(kept).toEqual({ names: ['a', 'b'] });
  expect(await schema.parseAsync(kept)).toBe(kept);
  expect(check).toHaveBeenCalledTimes(1);
  expect(isKept(schema, kept)).toBe(true);
  const text = toJson(kept);
  kept.names.push('c');
  expect(toJson(kept)).toBe(text);
});

test('another schema checks it, and anything else is checked every time', async () => {
  const { check, schema, output } = makeOutput();
  const kept = keep(schema, output);
  expect(isKept(makeOutput().schema, kept)).toBe(false);
  await schema.parseAsync(output);
  await schema.parseAsync(output);
  expect(check).toHaveBeenCalledTimes(3);
});

test('JSON is as without keeping, alone, in an envelope and where it was set aside', async () => {
  const { schema, output } = makeOutput();
  const kept = keep(schema, output);
  const envelopes = [
    kept,
    { data: kept },
    { success: true, data: kept },
    { data: kept, message: 'Read "it"', left: undefined },
    { a: 1, data: kept, other: kept },
    [kept],
    null,
    'text',
  ];
  for (const envelope of envelopes) {
    expect(toJson(envelope)).toBe(JSON.stringify(envelope));
    expect(toJson(envelope)).toBe(JSON.stringify(envelope));
  }
  expect(toJson(undefined)).toBeUndefined();
  const write = async () => JSON.stringify([{ json: setAside(kept) }, { json: setAside(output) }]);
  expect(await fillIn(write)).toBe(JSON.stringify([{ json: kept }, { json: output }]));
  expect(setAside(kept)).toBe(kept);
});
