import { expect, test } from 'vitest';
import { guardAuth } from './web-auth';

/** What the guard answers before next-auth; 200 for what it lets pass. */
async function answerTo(path: string, { method = 'GET', ...init }: RequestInit = {}): Promise<Response> {
  const url = new URL(`http://localhost/api/auth/${path}`);
  const nextauth = url.pathname.split('/').slice(3).map(decodeURIComponent);
  const guarded = guardAuth(async () => new Response('passed'));
  return guarded(new Request(url, { method, ...init }), { params: Promise.resolve({ nextauth }) });
}

const json = { 'Content-Type': 'application/json' };

test.each([
  ['callback/credentials', {}, 405],
  ['callback/credentials', { method: 'POST' }, 200],
  ['error/%E2%98%83', {}, 400],
  ['error?error=%0A', {}, 400],
  ['error?error=OAuthCallback', {}, 200],
  ['session?callbackUrl=foo', {}, 400],
  ['session?callbackUrl=%2Fme', {}, 200],
  ['session', { headers: { Cookie: 'next-auth.callback-url=foo' } }, 400],
  ['session', { headers: { Cookie: 'next-auth.callback-url=%' } }, 400],
  ['session', { headers: { Cookie: 'next-auth.callback-url=http%3A%2F%2Flocalhost%2Fme' } }, 200],
  ['providers', { headers: json }, 200],
  ['_log', { method: 'POST', headers: json, body: '{"level":"error","code":"x"}' }, 204],
  ['signin', { method: 'POST', headers: json, body: '{' }, 400],
  ['signin', { method: 'POST', headers: json, body: 'null' }, 400],
  ['signin', { method: 'POST', headers: json, body: '{}' }, 200],
])('next-auth gets no request that it would fail at: %s %j', async (path, init, status) => {
  expect((await answerTo(path, init)).status).toBe(status);
});

test('a failure while it answers gets the status of one', async () => {
  const failing = guardAuth(() => Promise.reject(Object.assign(new Error('no database'), { code: 'ECONNREFUSED' })));
  const context = { params: Promise.resolve({ nextauth: ['session'] }) };
  expect((await failing(new Request('http://localhost/api/auth/session'), context)).status).toBe(503);
});
