import '@/test/store';
import { createHash, randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { newId } from '@/domain/ids';
import { env, readEnv } from '@/env';
import {
  checkStore,
  deleteObject,
  headObject,
  presignDownload,
  presignUpload,
  readObject,
  type Upload,
} from '@/server/storage/object-store';
import { startSilentServer } from '@/test/silent-server';

const elsewhere = process.env.CONFORMANCE_S3_ENDPOINT !== undefined;
const modes = elsewhere ? [env.S3_UPLOAD_LOCK] : (['query-content-sha256', 'signed-header', 'query-checksum'] as const);

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const base64 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('base64');
const good = randomBytes(70_000);
const wrong = randomBytes(good.length);

type Attempt = { url: string; headers: Record<string, string>; body: Uint8Array<ArrayBuffer> };

async function put({ url, headers, body }: Attempt): Promise<number> {
  const response = await fetch(url, { method: 'PUT', headers, body });
  await response.text();
  return response.status;
}

function edited(url: string, edit: (query: URLSearchParams) => void): string {
  const copy = new URL(url);
  edit(copy.searchParams);
  return copy.href;
}

/** Other bytes with their checksum, where the mode has it. */
function otherChecksum(attempt: Attempt): Attempt {
  const url = edited(attempt.url, (query) => {
    for (const name of [...query.keys()]) {
      if (name.toLowerCase() === 'x-amz-content-sha256' && query.get(name) !== 'UNSIGNED-PAYLOAD') {
        query.set(name, sha256(wrong));
      }
      if (name.toLowerCase() === 'x-amz-checksum-sha256') query.set(name, base64(wrong));
    }
  });
  const headers = { ...attempt.headers };
  if (headers['x-amz-checksum-sha256']) headers['x-amz-checksum-sha256'] = base64(wrong);
  return { url, headers, body: wrong };
}

const refused: [what: string, status: number, change: (attempt: Attempt) => Attempt][] = [
  ['other bytes of the same length', 400, (it) => ({ ...it, body: wrong })],
  ['a shorter body', 403, (it) => ({ ...it, body: good.subarray(1) })],
  ['a longer body', 403, (it) => ({ ...it, body: Buffer.concat([good, good]) })],
  ['another type', 403, (it) => ({ ...it, headers: { ...it.headers, 'Content-Type': 'text/html' } })],
  ['no type', 403, ({ headers: { 'Content-Type': _type, ...headers }, ...it }) => ({ ...it, headers })],
  [
    'a tampered signature',
    403,
    (it) => ({ ...it, url: edited(it.url, (q) => q.set('X-Amz-Signature', sha256(wrong))) }),
  ],
  ['another key', 403, (it) => ({ ...it, url: it.url.replace('?', 'x?') })],
  ['a later expiry', 403, (it) => ({ ...it, url: edited(it.url, (q) => q.set('X-Amz-Expires', '3000')) })],
  ['another checksum', 403, otherChecksum],
];

afterEach(() => void vi.useRealTimers());

describe.each(modes)('an upload locked by %s', (mode) => {
  async function grant(): Promise<{ key: string; attempt: Attempt; upload: Upload }> {
    Object.assign(env, { S3_UPLOAD_LOCK: mode, S3_PROXY_UPLOADS: false });
    const key = `test/${newId('med')}`;
    const terms = { key, contentType: 'image/png', sizeBytes: good.length, sha256: sha256(good) };
    const upload = await presignUpload(terms);
    return { key, upload, attempt: { url: upload.url, headers: upload.requiredHeaders, body: good } };
  }

  test('is stored, and can be read and deleted', async () => {
    const { key, attempt, upload } = await grant();
    expect(upload.expiresAt.getTime() - Date.now()).toBeGreaterThan(298_000);
    expect(upload.expiresAt.getTime() - Date.now()).toBeLessThanOrEqual(300_000);
    expect(await put(attempt)).toBe(200);
    const found = await headObject(key);
    expect(found).toMatchObject({ sizeBytes: good.length, contentType: 'image/png' });
    if (!elsewhere) expect(found?.sha256).toBe(sha256(good));
    const chunks: Buffer[] = [];
    for await (const chunk of (await readObject(key)) ?? []) chunks.push(chunk);
    expect(sha256(Buffer.concat(chunks))).toBe(sha256(good));
    await deleteObject(key);
    expect(await headObject(key)).toBeNull();
    expect(await readObject(key)).toBeNull();
    await deleteObject(key);
  });

  test.each(refused)('is rejected with %s, and nothing is stored', async (_what, status, change) => {
    const { key, attempt } = await grant();
    const got = await put(change(attempt));
    if (elsewhere) expect(got).toBeGreaterThanOrEqual(400);
    else expect(got).toBe(status);
    expect(await headObject(key)).toBeNull();
  });

  test('is rejected after it has expired', async () => {
    if (elsewhere) return;
    const { key, attempt } = await grant();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 301_000 });
    expect(await put(attempt)).toBe(403);
    vi.useRealTimers();
    expect(await headObject(key)).toBeNull();
  });

  test('is rejected with a header that is not signed', async () => {
    const { key, attempt } = await grant();
    const headers = { ...attempt.headers, 'x-amz-acl': 'public-read' };
    expect(await put({ ...attempt, headers })).toBeGreaterThanOrEqual(400);
    expect(await headObject(key)).toBeNull();
  });

  test('does not replace an existing object when it is rejected', async () => {
    const { key, attempt } = await grant();
    expect(await put(attempt)).toBe(200);
    expect(await put({ ...attempt, body: wrong })).toBeGreaterThanOrEqual(400);
    expect(await headObject(key)).toMatchObject({ sizeBytes: good.length });
    expect(await put(attempt)).toBe(200);
    await deleteObject(key);
  });

  test('is read in parts, so that a video can be sought', async () => {
    const { key, attempt } = await grant();
    expect(await put(attempt)).toBe(200);
    const { url } = await presignDownload(key);
    const read = async (headers: Record<string, string>) => {
      const response = await fetch(url, { headers });
      const bytes = Buffer.from(await response.arrayBuffer());
      return { status: response.status, range: response.headers.get('content-range'), bytes, response };
    };
    const size = good.length;
    const whole = await read({});
    expect([whole.status, whole.range, whole.bytes.equals(good)]).toEqual([200, null, true]);
    expect(whole.response.headers.get('accept-ranges')).toBe('bytes');
    for (const [range, start, end] of [
      ['bytes=0-99', 0, 99],
      ['bytes=100-', 100, size - 1],
      ['bytes=-5', size - 5, size - 1],
      [`bytes=60000-${size * 2}`, 60_000, size - 1],
    ] as const) {
      const part = await read({ Range: range });
      expect([part.status, part.range]).toEqual([206, `bytes ${start}-${end}/${size}`]);
      expect(part.bytes.equals(good.subarray(start, end + 1))).toBe(true);
    }
    const etag = whole.response.headers.get('etag') ?? '';
    expect((await read({ Range: 'bytes=0-9', 'If-Range': etag })).bytes).toHaveLength(10);
    expect((await read({ Range: 'bytes=0-9', 'If-Range': '"another"' })).bytes).toHaveLength(size);
    expect((await read({ Range: 'lines=1-2' })).bytes).toHaveLength(size);
    expect((await read({ Range: `bytes=${size}-` })).status).toBe(416);
    await deleteObject(key);
  });

  test('ends the one before it that has not arrived whole', async () => {
    if (elsewhere) return;
    const { key, attempt } = await grant();
    const begin = () => {
      const headers = { ...attempt.headers, 'Content-Length': good.length };
      const onward = request(attempt.url, { method: 'PUT', headers });
      const ended = new Promise((resolve) => onward.once('error', resolve).once('response', resolve));
      onward.write(good.subarray(1));
      return { ended };
    };
    const unfinished = () => readdir(path.join(process.env.LAUREL_DATA_DIR ?? '', 'objects', 'unfinished'));
    const first = begin();
    await vi.waitFor(async () => expect(await unfinished()).toHaveLength(1));
    const others = [begin(), begin()];
    await first.ended;
    await vi.waitFor(async () => expect(await unfinished()).toHaveLength(1));
    expect(await put(attempt)).toBe(200);
    for (const { ended } of others) await ended;
    await vi.waitFor(async () => expect(await unfinished()).toEqual([]));
    expect(await headObject(key)).toMatchObject({ sizeBytes: good.length });
    await deleteObject(key);
  });

  test('leaves nothing behind when it is interrupted', async () => {
    const { key, attempt } = await grant();
    await new Promise<void>((resolve) => {
      const headers = { ...attempt.headers, 'Content-Length': good.length };
      const onward = request(attempt.url, { method: 'PUT', headers });
      onward.once('error', () => resolve());
      onward.write(good.subarray(0, 30_000), () => setTimeout(() => onward.destroy(new Error('gone')), 50));
    });
    expect(await headObject(key)).toBeNull();
    if (elsewhere) return;
    const unfinished = path.join(process.env.LAUREL_DATA_DIR ?? '', 'objects', 'unfinished');
    await vi.waitFor(async () => expect(await readdir(unfinished)).toEqual([]));
  });
});

test('the store is ready only with the right bucket and credentials', async () => {
  await checkStore();
  const response = await fetch(`${env.S3_ENDPOINT}/${env.S3_BUCKET}`);
  expect(response.status).toBe(403);
  expect(await response.text()).toContain('<Code>AccessDenied</Code>');
});

test('a lock in the query is rejected for Amazon S3, which does not check it', () => {
  const amazon = {
    S3_ENDPOINT: 'https://s3.eu-central-1.amazonaws.com',
    S3_BUCKET: 'b',
    S3_ACCESS_KEY_ID: 'a',
    S3_SECRET_ACCESS_KEY: 's',
  };
  expect(readEnv(amazon).S3_UPLOAD_LOCK).toBe('signed-header');
  expect(() => readEnv({ ...amazon, S3_UPLOAD_LOCK: 'query-content-sha256' })).toThrow('S3_UPLOAD_LOCK');
  expect(() => readEnv({ ...amazon, S3_UPLOAD_LOCK: 'query-checksum' })).toThrow('S3_UPLOAD_LOCK');
});

/** What a process has whose store is at this address: the client of a store is kept. */
async function withStoreAt(url: string) {
  const before = process.env.S3_ENDPOINT;
  process.env.S3_ENDPOINT = url;
  onTestFinished(() => void Object.assign(process.env, { S3_ENDPOINT: before }));
  vi.resetModules();
  const fresh = await import('@/server/storage/object-store');
  return { ...fresh, describeError: (await import('@/server/errors')).describeError };
}

/** What callers see where the store does not do its part. */
const unavailable = { reason: 'NOT_READY', status: 503, message: expect.stringContaining('object store') };

test('a store that never answers is given up after three attempts of five seconds', async () => {
  const silent = await startSilentServer();
  onTestFinished(silent.stop);
  const fresh = await withStoreAt(silent.url);
  const calls = [fresh.headObject, fresh.readObject, fresh.deleteObject].map((call) => call('test/any'));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const ended = Promise.allSettled([...calls, fresh.checkStore()]);
  for (const attempt of [1, 2, 3]) {
    await vi.waitUntil(async () => {
      await vi.advanceTimersByTimeAsync(100);
      return silent.received.filter((text) => text.endsWith('\r\n\r\n')).length === 4 * attempt;
    });
    await vi.advanceTimersByTimeAsync(5_000);
  }
  for (const outcome of await ended) {
    const error: unknown = outcome.status === 'rejected' ? outcome.reason : null;
    expect(fresh.describeError(error)).toMatchObject(unavailable);
  }
  expect(silent.received).toHaveLength(4 * 3);
  vi.useRealTimers();
  await vi.waitUntil(() => silent.open.size === 0);
});

test.each([403, 500])('a store that answers with %i is named as what is not ready', async (status) => {
  const failing = createServer((_request, response) => response.writeHead(status).end());
  await new Promise<void>((resolve) => failing.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void failing.close());
  const fresh = await withStoreAt(`http://127.0.0.1:${(failing.address() as AddressInfo).port}`);
  const calls = [
    fresh.headObject('test/any'),
    fresh.readFirstBytes('test/any', 100),
    fresh.readObject('test/any'),
    fresh.deleteObject('test/any'),
  ];
  for (const outcome of await Promise.allSettled(calls)) {
    const error: unknown = outcome.status === 'rejected' ? outcome.reason : null;
    expect(fresh.describeError(error)).toMatchObject(unavailable);
    // For the log.
    expect(error).toMatchObject({ cause: { $metadata: { httpStatusCode: status } } });
  }
});
