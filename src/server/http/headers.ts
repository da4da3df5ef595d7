import { env } from '@/env';

/** What every answer of the API carries: nothing here is a page, and nothing may be framed or guessed at. */
export const apiHeaders: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  ...(env.PUBLIC_URL?.startsWith('https:') ? { 'Strict-Transport-Security': 'max-age=31536000' } : {}),
};

/** For answers that anyone may read from a page of any origin. Credentials are never allowed along. */
export const openCors: Readonly<Record<string, string>> = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'ETag, Link, Retry-After, X-Request-Id',
};

/** Answers the browser's question before a GET of a public route from another origin. */
export const preflightHeaders: Readonly<Record<string, string>> = {
  ...openCors,
  'Access-Control-Allow-Methods': 'GET, HEAD',
  'Access-Control-Allow-Headers': 'Authorization, If-None-Match, X-Request-Id',
  'Access-Control-Max-Age': '86400',
};
