import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mostSentInRound } from '@/test/chunks';
import { sendStatic } from './static-files';

const script = 'console.log("laurel");';
const name = `test-${process.pid}`;
const folder = path.join(process.cwd(), '.next/static', name);

const server = createServer((req, res) => void sendStatic(req, res));
beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'a.js'), script);
  writeFileSync(path.join(folder, 'b.woff2'), 'font');
  writeFileSync(path.join(folder, 'large.woff2'), 'f'.repeat(1024 * 1024));
  writeFileSync(path.join(folder, 'a.js.br'), brotliCompressSync(script));
  writeFileSync(path.join(folder, 'a.js.gz'), gzipSync(script));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

async function get(file: string, accepted: string, headers: Record<string, string> = {}) {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${file}`;
  const response = await fetch(url, { headers: { 'Accept-Encoding': accepted, ...headers } });
  return {
    status: response.status,
    encoding: response.headers.get('content-encoding'),
    type: response.headers.get('content-type'),
    text: await response.text(),
  };
}
const type = 'application/javascript; charset=UTF-8';

test.each([
  ['gzip, deflate, br', 'br'],
  ['gzip, deflate', 'gzip'],
  ['br;q=0, gzip', 'gzip'],
  ['gzip;q=0.5', 'gzip'],
  ['deflate, gzip;q=0', null],
])('who takes %s gets what the build compressed with %s', async (accepted, encoding) => {
  expect(await get(`/_next/static/${name}/a.js`, accepted)).toEqual({ status: 200, encoding, type, text: script });
});

test('what the build did not compress is sent as it is, and whole', async () => {
  const font = { status: 200, encoding: null, type: 'font/woff2', text: 'font' };
  expect(await get(`/_next/static/${name}/b.woff2`, 'gzip, br')).toEqual(font);
  const part = { Range: 'bytes=99-', 'If-Match': '"other"' };
  expect(await get(`/_next/static/${name}/b.woff2?x`, 'br', part)).toEqual(font);
});

test.each([
  '/_next/static',
  '/_next/static?x=1',
  '/_next/static/',
  `/_next/static/${name}`,
  `/_next/static/${name}/`,
  `/_next/static/${name}/c.js`,
  `/_next/static/${name}/a.js.map`,
  `/_next/static/${name}/a.js/`,
  `/_next/static/${name}%2fa.js`,
  `/_next/static/${name}/%61.js`,
  '/_next/static/..%2fBUILD_ID',
])('%s is no file, for which nothing is rendered', async (file) => {
  expect(await get(file, 'br')).toMatchObject({ status: 404, text: 'Not found\n' });
});

test('a file is read with GET', async () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/_next/static/${name}/a.js`;
  expect(
    (await fetch(url, { method: 'HEAD', headers: { 'Accept-Encoding': 'identity' } })).headers.get('content-length'),
  ).toBe(String(script.length));
  expect((await fetch(url, { method: 'POST' })).status).toBe(405);
});

test('few chunks of files are sent to a network in a round of the event loop', async () => {
  const read = () => get(`/_next/static/${name}/large.woff2`, '');
  const most = await mostSentInRound(/^\/_next\/static\//, async () => {
    const files = await Promise.all(Array.from({ length: 64 }, read));
    expect(new Set(files.map(({ text }) => text.length))).toEqual(new Set([1024 * 1024]));
  });
  expect(most).toBeLessThanOrEqual(4);
});
