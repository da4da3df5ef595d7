import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { readSession } from '@/server/auth/session';
import { pageHeaders } from '@/server/http/headers';
import { isRouterState } from '@/server/http/router-state';

/** Whether a path, with or without a query, is that of a prefix or below it. */
export function isBelow(path: string, prefix: string): boolean {
  return (
    path.startsWith(prefix) &&
    (path.length === prefix.length || path[prefix.length] === '/' || path[prefix.length] === '?')
  );
}

/** Parameters in the address of a page; ours have a dozen. Next.js takes more than a second for eight thousand. */
const maxParameters = 100;
/**
 * Characters in an address when all but plain ones are escaped. Next.js sends it back twice in the header of a redirect, and proxies
 * take a server whose header is longer than 4 KiB for one that is down.
 */
const maxEscapedLength = 1_500;

/** How long an address is when each byte of it that is not plain takes three characters, as those do that are escaped already. */
function escapedLength(url: string): number {
  return encodeURIComponent(url.replace(/%[\da-f]{2}|[!'()*~]/gi, '\n')).length;
}

/**
 * Why Next.js gets no request for this path and query; null when it does. What it cannot decode would be a failure of
 * ours.
 */
export function refusalOfPage(url: string): string | null {
  // No column holds one, and a page asks the database for what its address says.
  if (url.includes('%00')) return 'The address has a NUL character.';
  const queryAt = url.indexOf('?');
  try {
    decodeURIComponent(queryAt < 0 ? url : url.slice(0, queryAt));
  } catch {
    return 'The path is not valid UTF-8.';
  }
  // The query follows the first question mark, and may have more of them.
  const parameters = queryAt < 0 ? [] : url.slice(queryAt + 1).split('&', maxParameters + 1);
  if (parameters.length > maxParameters) return `The address has more than ${maxParameters} parameters.`;
  const isTooLong = url.length > maxEscapedLength || escapedLength(url) > maxEscapedLength;
  return isTooLong
    ? `The address has more than ${maxEscapedLength} characters, of which those that are escaped count three.`
    : null;
}

/** Milliseconds that the body of a form may take to arrive, and between looks, which become rarer. */
const formMs = 10_000;
const firstLookMs = 10;

/**
 * Waits until the form of a request has arrived, before it has a turn: it is small enough to wait in the request, where Next.js
 * reads it.
 * @returns whether it has
 */
export async function formArrives(req: IncomingMessage): Promise<boolean> {
  const began = performance.now();
  for (let wait = firstLookMs; !req.complete; wait *= 2) {
    if (req.destroyed || performance.now() - began > formMs) return false;
    await pause(wait);
  }
  return true;
}

/** Headers that pages and sign-in need. Others have Next.js do what only its own servers should ask for. */
const neededHeaders = new Set(
  [
    'host connection cookie user-agent referer origin authorization content-length content-type',
    'accept accept-encoding accept-language cache-control range if-range if-none-match if-modified-since',
    'sec-fetch-site sec-fetch-mode sec-fetch-dest x-request-id',
    'x-forwarded-for x-forwarded-host x-forwarded-port x-forwarded-proto',
    'rsc next-url next-router-prefetch next-router-segment-prefetch next-router-state-tree',
  ].flatMap((names) => names.split(' ')),
);
/** Characters in a header. Next.js matches patterns that take a second for a user agent of 15,000. */
export const maxHeaderLength = 512;
/** Those that may be longer, since they are limited in another way. */
const longHeaders = new Set(['cookie', 'next-router-state-tree']);

/**
 * Cookies that sign-in and our pages set. Next.js takes five seconds for 1,800 others, and next-auth answers each that begins like
 * that of a session with a header that removes it, whatever else its name has.
 */
const ownCookie =
  /^\s*(?:(?:__Secure-|__Host-)?next-auth\.(?:session-token|csrf-token|callback-url|state|nonce|pkce\.code_verifier)|laurel_\w+)=/;
const maxCookies = 32;

function trimCookies(cookies: string): string {
  const ours = cookies.split(';').filter((cookie) => ownCookie.test(cookie));
  return ours.slice(0, maxCookies).join(';');
}

/** Removes the headers that a page does not need. */
function trimHeaders(req: IncomingMessage, dev: boolean): void {
  for (const [name, value] of Object.entries(req.headers)) {
    if (!neededHeaders.has(name) && !dev) delete req.headers[name];
    else if (!longHeaders.has(name) && String(value).length > maxHeaderLength) delete req.headers[name];
  }
  if (req.headers.cookie !== undefined) req.headers.cookie = trimCookies(req.headers.cookie);
  // Next.js would answer with a failure of ours; without it, the client gets the whole page.
  if (!isRouterState(req.headers['next-router-state-tree'])) delete req.headers['next-router-state-tree'];
  // By it Next.js takes a form for a call of a server action. There are none, and it would log each as an error.
  delete req.headers['next-action'];
}

/**
 * Prepares a request for a page: Next.js gets what it needs of the headers, and reads there which nonce to give the scripts that
 * it writes; the response says what the page may run and load.
 * @param dev Next.js builds pages as they are asked for, and its pages send more headers
 */
export function protectPage(req: IncomingMessage, res: ServerResponse, dev = false): void {
  trimHeaders(req, dev);
  // A page that Next.js keeps for failures, and answers with one.
  if (isBelow(req.url ?? '', '/_global-error')) req.url = '/_not-found';
  if (!isBelow(req.url ?? '', '/api/auth')) delete req.headers['content-type'];
  const framed = isBelow(req.url ?? '', '/embed');
  const headers = pageHeaders(randomBytes(16).toString('base64'), { framed });
  req.headers['content-security-policy'] = headers['Content-Security-Policy'];
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  // next-auth says so of few of its responses, and Next.js not of the redirect by which it corrects the address of a part of a page.
  if (isBelow(req.url ?? '', '/api/auth') || req.headers.rsc !== undefined) res.setHeader('Cache-Control', 'no-store');
}

/** What anybody without a session needs to get one: a flood of other pages, or readers who are slow to take them, do not hold it up. */
const waysIn = ['/api/auth', '/sign-in'];

/**
 * Who asks for a page, of those behind one address: an account, or what leads to one. The database is not asked, so an account keeps
 * its turns when its session has been ended: they are its own.
 */
export async function callerOfPage({ headers, url = '' }: IncomingMessage): Promise<string> {
  const session = await readSession(new Headers({ cookie: headers.cookie ?? '' }));
  return session?.userId ?? waysIn.find((path) => isBelow(url, path)) ?? '';
}
