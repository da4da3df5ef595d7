import { hash } from 'node:crypto';
import type { HttpRequest, HttpResponse } from '@/server/http/exchange';
import type { Route } from '@/server/http/rest/routes';

let lastTagged = { body: '', etag: '' };

/** The document and large draws are long and often the same, so the last long body is remembered with its tag. */
function strongTag(body: string): string {
  if (body === lastTagged.body) return lastTagged.etag;
  const etag = `"${hash('sha1', body, 'base64url')}"`;
  if (body.length > 100_000) lastTagged = { body, etag };
  return etag;
}

/** Leaves the server's clock out, since time alone makes no response a new one; such a tag is a weak one. */
function clocklessTag(body: string): string {
  if (body === lastTagged.body) return lastTagged.etag;
  const lasting = body.replaceAll(/"serverTime":"[^"]*",?/g, '');
  return lasting.length === body.length ? strongTag(body) : `W/${strongTag(lasting)}`;
}

function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  if (!ifNoneMatch) return false;
  const opaque = (each: string) => each.trim().replace(/^W\//, '');
  return ifNoneMatch.split(',').some((candidate) => opaque(candidate) === opaque(etag) || candidate.trim() === '*');
}

type RouteKind = Pick<Route, 'access' | 'method'>;

/** Whether responses carry an `ETag`. What a signed-in person reads is kept nowhere. */
export function isCacheable({ access, method }: RouteKind): boolean {
  return method === 'GET' && access !== 'user';
}

/** Adds the headers that let a caller keep a response, and shortens it to 304 when they have it already. */
export function withCaching(route: RouteKind, request: HttpRequest, response: HttpResponse): HttpResponse {
  const { headers } = response;
  if (!isCacheable(route) || response.status !== 200 || response.body === null) {
    headers['Cache-Control'] ??= 'no-store';
    return response;
  }
  const forKey = route.access === 'apiKey';
  const etag = forKey ? strongTag(response.body) : clocklessTag(response.body);
  headers.ETag = etag;
  headers['Cache-Control'] = forKey ? 'private, no-cache' : 'no-cache';
  headers.Vary = forKey ? 'X-API-Key' : 'Authorization';
  if (!matches(request.headers['if-none-match'], etag)) return response;
  const { 'Content-Type': _type, ...kept } = headers;
  return { status: 304, headers: kept, body: null };
}
