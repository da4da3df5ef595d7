import { createHash } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sign } from 'aws4';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startStore } from './server';
import { type SignedRequest, verifySignature } from './signature';

/** From Amazon's documentation of Signature Version 4 for S3. */
const published = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
};
const then = new Date('2013-05-24T00:00:10Z');
const emptyHash = createHash('sha256').digest('hex');

function presigned(change: Record<string, string> = {}): SignedRequest {
  const query = new URLSearchParams({
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': 'AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request',
    'X-Amz-Date': '20130524T000000Z',
    'X-Amz-Expires': '86400',
    'X-Amz-SignedHeaders': 'host',
    'X-Amz-Signature': 'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
    ...change,
  });
  return { method: 'GET', path: '/test.txt', query, headers: { host: 'examplebucket.s3.amazonaws.com' } };
}

function authorized(headers: Record<string, string> = {}): SignedRequest {
  return {
    method: 'GET',
    path: '/test.txt',
    query: new URLSearchParams(),
    headers: {
      host: 'examplebucket.s3.amazonaws.com',
      range: 'bytes=0-9',
      'x-amz-content-sha256': emptyHash,
      'x-amz-date': '20130524T000000Z',
      authorization:
        'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
      ...headers,
    },
  };
}

describe("Amazon's published examples", () => {
  test('are accepted', async () => {
    expect(await verifySignature(presigned(), published, then)).toBe('UNSIGNED-PAYLOAD');
    expect(await verifySignature(authorized(), published, then)).toBe(emptyHash);
  });

  const day = 86_400_000;
  test.each<[what: string, request: SignedRequest, now: Date]>([
    ['with another secret', presigned({ 'X-Amz-Signature': 'a'.repeat(64) }), then],
    ['with a signature of another length', presigned({ 'X-Amz-Signature': 'aeeed9' }), then],
    ['after they expired', presigned(), new Date(then.getTime() + day)],
    ['long before they were signed', presigned(), new Date(then.getTime() - day)],
    ['with a longer life', presigned({ 'X-Amz-Expires': '86401' }), then],
    ['with an endless life', presigned({ 'X-Amz-Expires': '99999999' }), then],
    ['with another date', presigned({ 'X-Amz-Date': '20130524T000001Z' }), then],
    ['with no date', presigned({ 'X-Amz-Date': 'today' }), then],
    ['with another algorithm', presigned({ 'X-Amz-Algorithm': 'AWS4-HMAC-SHA1' }), then],
    ['with a parameter more', presigned({ 'x-id': 'GetObject' }), then],
    ['with no signed host', presigned({ 'X-Amz-SignedHeaders': '' }), then],
    ['with a signed header that is missing', presigned({ 'X-Amz-SignedHeaders': 'host;range' }), then],
    ['with another credential', presigned({ 'X-Amz-Credential': 'AKIA/20130524/us-east-1/s3/aws4_request' }), then],
    ['by another method', { ...presigned(), method: 'PUT' }, then],
    ['for another path', { ...presigned(), path: '/test2.txt' }, then],
    ['for another host', { ...presigned(), headers: { host: 'other.example' } }, then],
    ['with both kinds at once', { ...presigned(), headers: authorized().headers }, then],
    ['by header with another range', authorized({ range: 'bytes=0-99' }), then],
    ['by header much later', authorized(), new Date(then.getTime() + 16 * 60_000)],
    ['by header with an unsigned one of the store', authorized({ 'x-amz-acl': 'private' }), then],
    ['by header that cannot be read', authorized({ authorization: 'Basic eDp5' }), then],
    ['without a signature', { ...presigned(), query: new URLSearchParams() }, then],
  ])('are refused %s', async (_what, request, now) => {
    await expect(verifySignature(request, published, now)).rejects.toMatchObject({
      status: expect.toSatisfy((status: number) => status === 400 || status === 403),
    });
  });
});

describe('an independent signer', () => {
  const credentials = { accessKeyId: 'laurel', secretAccessKey: 'secret', region: 'eu-north-1' };
  const bytes = Buffer.from('some bytes');
  let store: Awaited<ReturnType<typeof startStore>>;
  beforeAll(async () => {
    const directory = await mkdtemp(path.join(tmpdir(), 'laurel-store-'));
    store = await startStore({ ...credentials, bucket: 'b', directory, port: 0 });
  });
  afterAll(() => store.stop());

  async function send(method: string, target: string, how: { query?: boolean; body?: Buffer; headers?: object } = {}) {
    const headers = { ...how.headers } as Record<string, string>;
    const request = {
      host: new URL(store.url).host,
      method,
      path: target,
      headers,
      service: 's3',
      region: credentials.region,
      ...(how.query ? { signQuery: true } : { body: how.body }),
    };
    const signed = sign(request, credentials);
    const { Host: _host, 'Content-Length': _length, ...rest } = signed.headers as Record<string, string>;
    return fetch(store.url + signed.path, {
      method,
      headers: rest,
      body: how.body ? new Uint8Array(how.body) : undefined,
    });
  }

  test('writes, reads and deletes, by header and by query, whatever the key', async () => {
    for (const key of ['plain', 'deep/er/key', 'sp%20ace%2Bplus', '%E2%82%AC']) {
      const type = { 'Content-Type': 'text/plain' };
      expect((await send('PUT', `/b/${key}`, { body: bytes, headers: type })).status).toBe(200);
      for (const query of [true, false]) {
        const read = await send('GET', `/b/${key}`, { query });
        expect([read.status, read.headers.get('content-type')]).toEqual([200, 'text/plain']);
        expect(await read.text()).toBe('some bytes');
      }
      expect((await send('DELETE', `/b/${key}`, { query: true })).status).toBe(204);
      expect((await send('GET', `/b/${key}`)).status).toBe(404);
    }
  });

  test('gets an empty object back', async () => {
    expect((await send('PUT', '/b/empty', { body: Buffer.alloc(0), query: true })).status).toBe(200);
    const read = await send('GET', '/b/empty');
    expect([read.status, await read.text()]).toEqual([200, '']);
  });

  test('gets 501 for what the store does not support', async () => {
    expect((await send('GET', '/b')).status).toBe(501);
    expect((await send('GET', '/other/key')).status).toBe(404);
    expect((await send('PUT', '/b/key?acl=', { body: bytes })).status).toBe(501);
    const copy = { 'x-amz-copy-source': '/b/other' };
    expect((await send('PUT', '/b/key', { body: bytes, headers: copy })).status).toBe(501);
    const crc = { 'x-amz-checksum-crc32': 'AAAAAA==' };
    expect((await send('PUT', '/b/key', { body: bytes, headers: crc })).status).toBe(501);
    expect((await fetch(`${store.url}/b/key`, { method: 'POST', body: 'x' })).status).toBe(405);
    expect((await send('GET', '/b/key')).status).toBe(404);
  });

  test('can be a page of any origin', async () => {
    const answer = await fetch(`${store.url}/b/key`, { method: 'OPTIONS' });
    expect(answer.status).toBe(204);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.get('access-control-allow-methods')).toContain('PUT');
  });
});
