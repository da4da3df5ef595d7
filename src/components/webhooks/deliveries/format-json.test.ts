import { expect, test, vi } from 'vitest';
import { formatJson } from './format-json';

test('JSON is indented, and anything else is not', () => {
  expect(formatJson('{"a":[1,"x[[[,\\"{"]}')).toBe('{\n  "a": [\n    1,\n    "x[[[,\\"{"\n  ]\n}');
  expect(formatJson('[{}]'.padEnd(20))).toBe('[\n  {}\n]');
  for (const text of ['ok', '', '{"a":', '<html>']) expect(formatJson(text)).toBeNull();
});

test('a large flat body is indented too', () => {
  const body = JSON.stringify(Array.from({ length: 20_000 }, (_, id) => ({ id, name: 'Night Owls' })));
  expect(formatJson(body)).toBe(JSON.stringify(JSON.parse(body), null, 2));
});

test('lists in lists are not made hundreds of times as long', () => {
  const stringify = vi.spyOn(JSON, 'stringify');
  for (const depth of [300, 3_000, 8_000]) {
    expect(formatJson('['.repeat(depth) + ']'.repeat(depth))).toBeNull();
    expect(formatJson(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`)).toBeNull();
  }
  expect(stringify).not.toHaveBeenCalled();
});
