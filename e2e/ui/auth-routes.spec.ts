import { expect, test } from '../fixtures';

const actions = [
  'providers',
  'session',
  'csrf',
  'signin',
  'signout',
  'callback',
  'verify-request',
  'error',
  '_log',
  'none',
];
const providers = ['', '/credentials', '/discord', '/none', '/%2e%2e', '/a/b', '/%E2%98%83'];
const queries = [
  '',
  '?callbackUrl=foo',
  '?callbackUrl=javascript:0',
  '?callbackUrl=https://elsewhere.test',
  '?callbackUrl=%00',
  '?error=x',
  '?error=',
  '?error=%E2%98%83',
  '?error=%0A',
  '?code=x&state=y',
];
const cookies = [
  '',
  'next-auth.callback-url=foo',
  'next-auth.callback-url=%',
  'next-auth.session-token=x',
  'next-auth.csrf-token=x|y',
];
const bodies: [string, string][] = [
  ['application/json', '{'],
  ['application/json', 'null'],
  ['application/json', '{"callbackUrl":5,"csrfToken":{},"json":"true"}'],
  ['application/x-www-form-urlencoded', 'callbackUrl=foo&csrfToken=%&json=true'],
  ['text/plain', 'x'],
  ['multipart/form-data', 'x'],
];

test('no request to the sign-in routes is a failure of the server', async ({ request }) => {
  const seen: [string, number][] = [];
  const send = async (method: string, path: string, cookie = '', body?: [string, string]) => {
    const headers = { ...(cookie ? { Cookie: cookie } : {}), ...(body ? { 'Content-Type': body[0] } : {}) };
    const options = { method, headers, maxRedirects: 0, failOnStatusCode: false, data: body?.[1] };
    const status = (await request.fetch(path, options)).status();
    seen.push([`${method} ${path} ${cookie} ${body?.join(' ') ?? ''}`, status]);
    return status;
  };
  for (const action of actions) {
    for (const provider of providers) {
      const path = `/api/auth/${action}${provider}`;
      for (const method of ['GET', 'POST', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) await send(method, path);
      for (const query of queries) await send('GET', path + query);
      for (const cookie of cookies) await send('GET', path, cookie);
    }
    for (const provider of ['', '/credentials']) {
      for (const body of bodies) await send('POST', `/api/auth/${action}${provider}`, '', body);
    }
  }
  expect(seen.filter(([, status]) => status >= 500)).toEqual([]);
  expect(await send('GET', '/api/auth/callback/credentials')).toBe(405);
  expect(await send('GET', '/api/auth/session')).toBe(200);
  // A cookie that is refused is removed, so that the next request works.
  const refused = await request.fetch('/api/auth/session', { headers: { Cookie: 'next-auth.callback-url=foo' } });
  expect(refused.status()).toBe(400);
  expect(refused.headers()['set-cookie']).toContain('next-auth.callback-url=;');
});
