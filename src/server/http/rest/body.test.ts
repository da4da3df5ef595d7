import { connect } from 'node:net';
import { beforeAll, expect, test } from 'vitest';
import type { HttpRequest } from '@/server/http/exchange';
import { readJson } from '@/server/http/rest/body';
import { registry } from '@/server/metrics';
import { makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';

const api = setupTestServer();
let bearer: string;
beforeAll(async () => {
  bearer = (await makeUser()).bearer;
});

const json = { 'Content-Type': 'application/json' };

test.each([
  ['{', 'MALFORMED_JSON', 400],
  ['{"name":"x"} trailing', 'MALFORMED_JSON', 400],
  ['[]', 'VALIDATION_FAILED', 400],
  ['null', 'VALIDATION_FAILED', 400],
  ['"text"', 'VALIDATION_FAILED', 400],
  ['{"name":"a\\u0000b"}', 'VALIDATION_FAILED', 400],
  ['{"name":"a\\ud800"}', 'VALIDATION_FAILED', 400],
  ['{"name":7}', 'VALIDATION_FAILED', 400],
  ['{"name":null}', 'VALIDATION_FAILED', 400],
  ['{}', 'VALIDATION_FAILED', 400],
])('the body %s is refused', async (raw, code, status) => {
  const response = await api.post('/projects', { bearer, raw, headers: json });
  expect([response.status, response.reason]).toEqual([status, code]);
});

test('a body nested deeper than any input is refused', async () => {
  const deep = `${'{"a":'.repeat(100_000)}"\\u0000"${'}'.repeat(100_000)}`;
  const response = await api.post('/projects', { bearer, raw: deep, headers: json });
  expect([response.status, response.reason]).toEqual([400, 'VALIDATION_FAILED']);
});

test('a field that is wrong is named', async () => {
  const { body } = await api.post('/projects', { bearer, body: { name: 7 } });
  expect(body).toMatchObject({ error: { issues: [{ path: 'name', message: expect.any(String) }] } });
});

test('a body that is not JSON by its type is 415, whatever is in it', async () => {
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonx',
    'application/json; charset=latin1',
  ]) {
    const response = await api.post('/projects', { bearer, raw: '{"name":"Some"}', headers: { 'Content-Type': type } });
    expect([type, response.status, response.reason]).toEqual([type, 415, 'UNSUPPORTED_MEDIA_TYPE']);
  }
  const untyped = await api.post('/projects', { bearer, raw: new TextEncoder().encode('{"name":"Some"}') });
  expect(untyped.status).toBe(415);
  const typed = await api.post('/projects', {
    bearer,
    raw: '{"name":"Some project"}',
    headers: { 'Content-Type': 'application/json; charset=utf-8' },
  });
  expect(typed.status).toBe(201);
});

test('a body over 1 MiB is 413, declared or chunked; one just under is read', async () => {
  const big = `{"name":"${'a'.repeat(1024 * 1024)}"}`;
  const declared = await api.post('/projects', { bearer, raw: big, headers: json });
  expect([declared.status, declared.reason]).toEqual([413, 'BODY_TOO_LARGE']);
  const stream = new Blob(['a'.repeat(1280 * 1024)]).stream();
  const chunked = await api.post('/projects', { bearer, raw: stream, headers: json });
  expect(chunked.status).toBe(413);
  const fits = await api.post('/projects', { bearer, body: { name: 'Fits', ignored: 'a'.repeat(1024 * 1000) } });
  expect(fits.status).toBe(201);
  expect((await api.get('/me', { bearer })).status).toBe(200);
});

test('a POST without a body and type is valid where no field is required', async () => {
  const user = await makeUser();
  const bare = await api.post('/me/sign-out-everywhere', { bearer: user.bearer });
  expect(bare.status).toBe(200);
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const again = await api.post('/me/sign-out-everywhere', { bearer, raw: '', headers: form });
  expect(again.status).toBe(200);
  bearer = (await makeUser()).bearer;
});

test('without a credential a body has at most 64 KiB', async () => {
  const body = { email: 'wide@players.test', password: 'long enough', name: 'Wide', more: 'a'.repeat(70_000) };
  expect((await api.post('/auth/register', { body })).status).toBe(413);
  expect(
    (await api.post('/auth/register', { raw: new Blob([JSON.stringify(body)]).stream(), headers: json })).status,
  ).toBe(413);
  expect((await api.post('/auth/register', { body: { ...body, more: 'a'.repeat(60_000) } })).status).toBe(201);
});

test('an object with thousands of fields is refused before anything checks them', async () => {
  const customFields = Object.fromEntries(Array.from({ length: 60_000 }, (_, at) => [`k${at}`, []]));
  const wide = await api.post<{ error: { issues: unknown[] } }>('/tournaments/some-cup/participants/register', {
    bearer,
    body: { customFields },
  });
  expect([wide.status, wide.body.error.issues.length]).toEqual([400, 1]);
  const answers = Object.fromEntries(Object.entries(customFields).slice(0, 400));
  const many = await api.post<{ error: { issues: unknown[] } }>('/tournaments/some-cup/participants/register', {
    bearer,
    body: { customFields: answers },
  });
  expect([many.status, many.body.error.issues.length]).toEqual([400, 100]);
});

test('others have the thread between the steps of reading a large body', async () => {
  let [rounds, isRead] = [0, false];
  const countRound = () => {
    rounds += 1;
    if (!isRead) setImmediate(countRound);
  };
  const roundsOf = async (text: string) => {
    [rounds, isRead] = [0, false];
    const request: HttpRequest = {
      ...{ method: 'POST', path: '/', query: '', ip: '127.0.0.1' },
      headers: { 'content-type': 'application/json' },
      readBody: async () => Buffer.from(JSON.stringify({ text, smile: ':)' }).replace(':)', '\\ud83d\\ude00')),
    };
    setImmediate(countRound);
    const { value } = await readJson(request);
    isRead = true;
    expect(value).toEqual({ text, smile: '\u{1f600}' });
    return rounds;
  };
  expect(await roundsOf('x'.repeat(100_000)), 'looked at, parsed, searched').toBeGreaterThanOrEqual(3);
  expect(await roundsOf('x')).toBe(0);
});

test('a client that goes while it sends is no failure of ours', async () => {
  const { port } = new URL(api.url);
  const counted = async () => (await registry.metrics()).match(/count\{[^}]*route="\/auth\/revoke"[^}]*\}/g) ?? [];
  const socket = connect(Number(port), '127.0.0.1');
  socket.on('error', () => undefined);
  const head =
    'POST /api/v1/auth/revoke HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99\r\n';
  await new Promise<void>((resolve) => socket.write(`${head}\r\n{"refresh`, () => resolve()));
  await expect.poll(async () => (await api.get('/me', { bearer })).status).toBe(200);
  socket.destroy();
  await expect.poll(counted).toEqual([expect.stringContaining('status="400"')]);
});
