import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { type Expected, ObjectFiles } from './objects';

let directory: string;
let files: ObjectFiles;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'laurel-objects-'));
  files = new ObjectFiles(directory);
  await files.open();
});

const bytes = randomBytes(70_000);
const digestOf = (data: Buffer) => createHash('sha256').update(data).digest('hex');
const signed = (key: string): Expected => ({
  key,
  contentType: 'image/png',
  sizeBytes: bytes.length,
  sha256: [digestOf(bytes)],
});

async function* chunksOf(data: Buffer) {
  for (let at = 0; at < data.length; at += 16_384) yield data.subarray(at, at + 16_384);
}

const put = (expected: Expected, data: Buffer) => files.put(expected, chunksOf(data), () => undefined);

/** The file of a key: another one replaces it when the object is written. */
async function writtenAs(key: string): Promise<number> {
  const name = digestOf(Buffer.from(key));
  return (await stat(path.join(directory, name.slice(0, 2), name))).ino;
}

/** The bytes stored under a key. */
async function read(key: string): Promise<Buffer> {
  const found = await files.get(key);
  if (!found) throw new Error('nothing is stored');
  const chunks: Buffer[] = [];
  for await (const chunk of found.bytes({ start: 0, end: found.metadata.sizeBytes - 1 })) chunks.push(chunk);
  await found.close();
  return Buffer.concat(chunks);
}

test('an upload that is repeated gets the same response, and nothing is written again', async () => {
  const first = await put(signed('again'), bytes);
  const written = await writtenAs('again');
  expect(await put(signed('again'), bytes)).toEqual(first);
  expect(await writtenAs('again')).toBe(written);
  expect((await read('again')).equals(bytes)).toBe(true);
});

test('a repeated upload of other bytes is refused, and changes nothing', async () => {
  await put(signed('other'), bytes);
  const written = await writtenAs('other');
  await expect(put(signed('other'), randomBytes(bytes.length))).rejects.toMatchObject({ status: 400 });
  await expect(put(signed('other'), bytes.subarray(1))).rejects.toMatchObject({ status: 400 });
  expect(await writtenAs('other')).toBe(written);
  expect((await read('other')).equals(bytes)).toBe(true);
  expect(await readdir(path.join(directory, 'unfinished'))).toEqual([]);
});

test.each<[string, Partial<Expected>, Buffer]>([
  ['of another type', { contentType: 'image/jpeg' }, bytes],
  ['of other bytes', { sha256: [digestOf(bytes.subarray(1))], sizeBytes: bytes.length - 1 }, bytes.subarray(1)],
  ['whose bytes were not signed', { sha256: [] }, bytes],
])('an upload %s replaces the object', async (what, change, data) => {
  const key = `replaced ${what}`;
  await put(signed(key), bytes);
  const written = await writtenAs(key);
  const metadata = await put({ ...signed(key), ...change }, data);
  expect(metadata).toMatchObject({ key, contentType: change.contentType ?? 'image/png', sizeBytes: data.length });
  expect(await writtenAs(key)).not.toBe(written);
  expect((await read(key)).equals(data)).toBe(true);
});
