import { createHash } from 'node:crypto';
import { headScript } from '@/domain/head-script';
import { env, publicUrl } from '@/env';
import type { HttpRequest } from '@/server/http/exchange';

const strictTransport: Record<string, string> = env.PUBLIC_URL?.startsWith('https:')
  ? { 'Strict-Transport-Security': 'max-age=31536000' }
  : {};

/** Headers of every API response: nothing here is a page, so nothing may be framed, sniffed or executed. */
export const apiHeaders: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  ...strictTransport,
};

const headScriptHash = createHash('sha256').update(headScript).digest('base64');

/** Browsers exchange files with the store directly, unless this process hands them on. */
const storeOrigin = env.S3_ENDPOINT && !env.S3_PROXY_UPLOADS ? [new URL(env.S3_ENDPOINT).origin] : [];

const sources: Record<string, string[]> = {
  'default-src': ["'self'"],
  // Components set their own inline styles, and those that come from packages add style elements.
  'style-src': ["'self'", "'unsafe-inline'"],
  'img-src': ["'self'", 'data:', 'blob:', ...storeOrigin],
  'media-src': ["'self'", ...storeOrigin],
  'connect-src': ["'self'", ...storeOrigin],
  'object-src': ["'none'"],
  'frame-src': ["'none'"],
  'base-uri': ["'none'"],
  'form-action': ["'self'"],
};

const fixedPolicy = Object.entries(sources)
  .map(([directive, values]) => `${directive} ${values.join(' ')}`)
  .join('; ');

/**
 * What a page carries, and whether other sites may frame it: it runs the scripts of its own files and those with its
 * nonce, and loads from no other host but the store.
 */
export function pageHeaders(nonce: string, { framed = false } = {}): Record<string, string> {
  // React tells where an error came from, while one develops, with code that it makes up.
  const development = env.NODE_ENV === 'development' ? " 'unsafe-eval'" : '';
  const scripts = `script-src 'self' 'nonce-${nonce}' 'sha256-${headScriptHash}'${development}`;
  const ancestors = `frame-ancestors ${framed ? '*' : "'none'"}`;
  return { 'Content-Security-Policy': `${scripts}; ${fixedPolicy}; ${ancestors}`, ...strictTransport };
}

/** For responses that pages of any origin may read. Credentials are never allowed. */
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

/** Whether the page that sends this request came from this server; browsers say so themselves. */
export function isSameOrigin(headers: HttpRequest['headers']): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  const { origin } = headers;
  if (origin === undefined) return true;
  const forwarded = env.TRUSTED_PROXIES > 0 ? headers['x-forwarded-host'] : undefined;
  const own = [forwarded ?? headers.host, new URL(publicUrl).host];
  return /^https?:\/\//.test(origin) && own.includes(origin.replace(/^https?:\/\//, ''));
}
