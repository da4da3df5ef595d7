import { expect, test } from 'vitest';
import { readFile } from './read-file';

const fileOf = (text: string, size = text.length) => ({ size, text: async () => text });

test('reads an export, also with a byte order mark', async () => {
  expect(await readFile(fileOf('\uFEFF{"format":"laurel","version":1}'))).toEqual({
    ok: true,
    value: { format: 'laurel', version: 1 },
  });
});

test.each([
  ['a large file', fileOf('{}', 1024 * 1024), /larger than 1 MiB/],
  ['no JSON', fileOf('name,seed'), /not valid JSON/],
  ['a list', fileOf('[]'), /not valid JSON/],
  ['another format', fileOf('{"participant":[]}'), /not an export of Laurel/],
])('refuses %s', async (_name, file, error) => {
  expect(await readFile(file)).toEqual({ ok: false, error: expect.stringMatching(error) });
});
