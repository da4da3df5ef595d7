import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sendCompressed } from './static-files';

const script = 'console.log("laurel");';
const name = `test-${process.pid}`;
const folder = path.join(process.cwd(), '.next/static', name);

/** What is left to Next.js is answered with the encodings that it still could choose from. */
const server = createServer(async (req, res) => {
  if (!(await sendCompressed(req, res))) res.end(`left: ${req.headers['accept-encoding'] ?? 'as it is'}`);
});
beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'a.js'), script);
  writeFileSync(path.join(folder, 'a.js.br'), brotliCompressSync(script));
  writeFileSync(path.join(folder, 'a.js.gz'), gzipSync(script));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

async function get(file: string, accepted: string): Promise<[string | null, string]> {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${file}`;
  const response = await fetch(url, { headers: { 'Accept-Encoding': accepted } });
  return [response.headers.get('content-encoding'), await response.text()];
}

test.each([
  ['gzip, deflate, br', 'br'],
  ['gzip, deflate', 'gzip'],
  ['br;q=0, gzip', 'gzip'],
  ['gzip;q=0.5', 'gzip'],
])('who takes %s gets what the build compressed with %s', async (accepted, encoding) => {
  expect(await get(`/_next/static/${name}/a.js`, accepted)).toEqual([encoding, script]);
});

test.each([
  [`/_next/static/${name}/a.js`, 'deflate, gzip;q=0'],
  [`/_next/static/${name}/b.js`, 'gzip, br'],
  [`/_next/static/${name}/a.js.map`, 'gzip, br'],
  [`/_next/static/${name}/%61.js`, 'gzip, br'],
])('of %s to who takes %s, nothing is compressed for this request', async (file, accepted) => {
  expect(await get(file, accepted)).toEqual([null, 'left: as it is']);
});

test('pages keep the encodings that their readers take', async () => {
  expect(await get('/tournaments', 'gzip')).toEqual([null, 'left: gzip']);
});
