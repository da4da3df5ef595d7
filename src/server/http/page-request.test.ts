import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { protectPage, refusalOfPage } from './page-request';

test.each([
  '/tournaments?search=a&page=2',
  `/tournaments?${'a&'.repeat(99)}`,
  `/api/auth/callback/google?state=${'x'.repeat(3_000)}`,
  '/tournaments/%E4%B8%AD',
])('%s is an address of a page', (url) => {
  expect(refusalOfPage(url)).toBeNull();
});

test.each([
  ['a NUL character', '/tournaments?search=%00'],
  ['not valid UTF-8', '/tournaments/%E0%A4%A'],
  ['more than 100 parameters', `/tournaments?${'a&'.repeat(100)}`],
  ['more than 100 parameters', `/tournaments?x?${'&a'.repeat(100)}`],
  ['more than 100 parameters', `/tournaments?${'x?y&'.repeat(100)}`],
  ['more than 4096 characters', `/tournaments?${'a'.repeat(5_000)}`],
  ['more than 4096 characters', `/${'a/'.repeat(2_500)}`],
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

test('Next.js gets few cookies, and none of others', () => {
  const { cookie } = headersAfter({
    cookie: 'a=1; __Host-next-auth.csrf-token=b; next-auth.session-token.0=c; xlaurel_zone=d',
  });
  expect(cookie).toBe(' __Host-next-auth.csrf-token=b; next-auth.session-token.0=c');
  const many = Array.from({ length: 1_000 }, (_, at) => `next-auth.session-token.${at}=x`).join('; ');
  expect(headersAfter({ cookie: many }).cookie?.split(';')).toHaveLength(32);
});

test('only sign-in reads a body', () => {
  const form = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '5' };
  expect(headersAfter(form)).not.toHaveProperty('content-type');
  expect(headersAfter(form, '/api/auth/callback/credentials')).toMatchObject(form);
});
