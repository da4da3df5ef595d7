import { once } from 'node:events';
import { createServer, IncomingMessage, request, ServerResponse } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { encode } from 'next-auth/jwt';
import { expect, onTestFinished, test } from 'vitest';
import { env } from '@/env';
import { callerOfPage, formArrives, protectPage, refusalOfPage } from './page-request';

test.each([
  '/tournaments?search=a&page=2',
  `/tournaments?${'a&'.repeat(99)}`,
  `/api/auth/callback/google?state=${'x'.repeat(1_000)}`,
  '/tournaments/%E4%B8%AD',
  `/tournaments?q=${'%E4%B8%AD'.repeat(160)}`,
])('%s is an address of a page', (url) => {
  expect(refusalOfPage(url)).toBeNull();
});

test.each([
  ['a NUL character', '/tournaments?search=%00'],
  ['not valid UTF-8', '/tournaments/%E0%A4%A'],
  ['more than 100 parameters', `/tournaments?${'a&'.repeat(100)}`],
  ['more than 100 parameters', `/tournaments?x?${'&a'.repeat(100)}`],
  ['more than 100 parameters', `/tournaments?${'x?y&'.repeat(100)}`],
  ['more than 1500 characters', `/tournaments?${'a'.repeat(1_500)}`],
  ['more than 1500 characters', `/tournaments/?x=${'"'.repeat(500)}`],
  ['more than 1500 characters', `/tournaments/?x=${"'".repeat(500)}`],
  ['more than 1500 characters', `/tournaments/?x=${'%'.repeat(500)}`],
  ['more than 1500 characters', `/tournaments/?x=${'\xe9'.repeat(250)}`],
  ['more than 1500 characters', `/${'a/'.repeat(400)}`],
])('an address with %s is none', (reason, url) => {
  expect(refusalOfPage(url)).toContain(reason);
});

function headersAfter(headers: Record<string, string>, url = '/tournaments') {
  const req = new IncomingMessage(new Socket());
  Object.assign(req.headers, headers);
  req.url = url;
  protectPage(req, new ServerResponse(req));
  return req.headers;
}

test('Next.js gets the headers that a page needs, none of which is long, and none of its own', () => {
  const needed = {
    host: 'localhost',
    cookie: `next-auth.session-token=${'x'.repeat(5_000)}; laurel_zone=Asia/Tokyo`,
    'user-agent': 'Mozilla/5.0',
    rsc: '1',
    'next-url': '/',
  };
  const internal = [
    'next-action',
    'x-middleware-subrequest',
    'x-matched-path',
    'x-nextjs-data',
    'x-prerender-revalidate',
  ];
  const sent = { ...needed, ...Object.fromEntries(internal.map((name) => [name, '1'])), 'x-other': '1' };
  const { 'content-security-policy': policy, ...left } = headersAfter(sent);
  expect(left).toEqual(needed);
  expect(policy).toContain("'nonce-");
  expect(headersAfter({ 'user-agent': 'a'.repeat(15_000), referer: 'a'.repeat(600) })).toEqual({
    'content-security-policy': expect.any(String),
  });
});

test('what Next.js and next-auth say nothing of is kept by nobody', () => {
  const keptAs = (url: string, headers = {}) => {
    const req = Object.assign(new IncomingMessage(new Socket()), { url, headers });
    const res = new ServerResponse(req);
    protectPage(req, res);
    return res.getHeader('Cache-Control');
  };
  expect([keptAs('/api/auth/signout'), keptAs('/tournaments', { rsc: '1' })]).toEqual(['no-store', 'no-store']);
  expect(keptAs('/icon.svg')).toBeUndefined();
});

test('Next.js gets few cookies, and none of others', () => {
  const { cookie } = headersAfter({
    cookie:
      'a=1; __Host-next-auth.csrf-token=b; next-auth.session-token=c; next-auth.session-token.0=d; xlaurel_zone=e',
  });
  expect(cookie).toBe(' __Host-next-auth.csrf-token=b; next-auth.session-token=c');
  const many = Array.from({ length: 1_000 }, (_, at) => `laurel_${at}=x`).join('; ');
  expect(headersAfter({ cookie: many }).cookie?.split(';')).toHaveLength(32);
});

test('only sign-in reads a body', () => {
  const form = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '5' };
  expect(headersAfter(form)).not.toHaveProperty('content-type');
  expect(headersAfter(form, '/api/auth/callback/credentials')).toMatchObject(form);
});

/** A request whose form begins with some bytes, and what sends the rest of it or leaves. */
async function sendForm(first: string, length: number) {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const headers = { 'Content-Length': length };
  const { port } = server.address() as AddressInfo;
  const call = request({ port, host: '127.0.0.1', method: 'POST', headers });
  call.on('error', () => undefined);
  call.write(first);
  onTestFinished(() => {
    call.destroy();
    server.close();
  });
  const [req] = (await once(server, 'request')) as [IncomingMessage];
  return { call, req };
}

test('a form is waited for, and then read by who needs it', async () => {
  const { call, req } = await sendForm('a=', 8_000);
  const arrived = formArrives(req);
  expect(await Promise.race([arrived, new Promise((resolve) => setImmediate(resolve))])).toBeUndefined();
  call.end('b'.repeat(7_998));
  expect(await arrived).toBe(true);
  expect(await text(req)).toBe(`a=${'b'.repeat(7_998)}`);
});

test('a form that does not arrive is not waited for any longer, and one whose client leaves is not at all', async () => {
  const [late, left] = [await sendForm('a=', 8_000), await sendForm('a=', 8_000)];
  left.call.destroy();
  expect(await formArrives(left.req)).toBe(false);
  expect(late.req.complete).toBe(false);
  expect(await formArrives(late.req)).toBe(false);
});

test('people behind one address are kept apart by their sessions, and by what leads to one', async () => {
  const secret = env.AUTH_SECRET ?? '';
  const cookieOf = async (token: object, key = secret) =>
    `next-auth.session-token=${await encode({ token: { ...token }, secret: key })}`;
  const callerOf = (url: string, cookie?: string) => {
    const req = new IncomingMessage(new Socket());
    Object.assign(req, { url, headers: { cookie } });
    return callerOfPage(req);
  };
  const own = await cookieOf({ sub: 'usr_1', sv: 0 });
  expect(await callerOf('/tournaments', own)).toBe('usr_1');
  expect(await callerOf('/api/auth/session', `laurel_zone=UTC; ${own}`)).toBe('usr_1');
  const since = Date.now() / 1000 - 31 * 86_400;
  const others = [
    undefined,
    'next-auth.session-token=usr_1',
    `${own.slice(0, -6)}AAAAAA`,
    await cookieOf({ sub: 'usr_1', sv: 0 }, 'another secret of thirty-two bytes'),
    await cookieOf({ sub: 'usr_1', sv: 0, since }),
  ];
  for (const cookie of others) {
    expect(await callerOf('/tournaments', cookie)).toBe('');
    expect(await callerOf('/sign-in?error=AccessDenied', cookie)).toBe('/sign-in');
    expect(await callerOf('/api/auth/csrf', cookie)).toBe('/api/auth');
    expect(await callerOf('/sign-in-now', cookie)).toBe('');
  }
});
