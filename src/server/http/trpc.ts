import type { IncomingMessage, ServerResponse } from 'node:http';
import { fetchRequestHandler } from '@trpc/server/adapters/fetch';
import { nodeHTTPRequestHandler } from '@trpc/server/adapters/node-http';
import { env, publicUrl } from '@/env';
import { sessionUser } from '@/server/auth/session';
import { type Context, createContext } from '@/server/context';
import { describeError, refuse } from '@/server/errors';
import { bodyLimit, fromFetch, fromNode, type HttpRequest } from '@/server/http/exchange';
import { takeRequestId } from '@/server/http/request-id';
import { liveStreams } from '@/server/limits/live-streams';
import { logger } from '@/server/logger';
import { observeRequest } from '@/server/metrics';
import { appRouter } from '@/server/routers/_app';

export const trpcPrefix = '/api/trpc';

/** Procedures that one request may call; our pages send no more at once. */
const maxBatchSize = 20;

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

function makeContext(
  request: HttpRequest,
  signal: AbortSignal,
  setHeader: (name: string, value: string) => void,
): Context {
  // A cookie goes along wherever a page sends it from; a write needs a page of ours.
  if (request.method !== 'GET' && !isSameOrigin(request.headers)) throw refuse('CROSS_ORIGIN');
  const requestId = takeRequestId(request.headers['x-request-id']);
  setHeader('X-Request-Id', requestId);
  return createContext({
    requestId,
    ip: request.ip,
    transport: 'trpc',
    authorization: request.headers.authorization,
    sessionUser: () => sessionUser(new Headers({ cookie: request.headers.cookie ?? '' })),
    setHeader,
    signal,
    countStream: async (userId) => {
      const close = await liveStreams.open(userId === null ? { ip: request.ip } : { userId });
      if (signal.aborted) close();
      else signal.addEventListener('abort', close, { once: true });
    },
  });
}

function onError({ error, path, ctx }: { error: Error; path?: string; ctx?: Context }): void {
  if (describeError(error).status < 500) return;
  logger.error({ err: error, procedure: path, requestId: ctx?.requestId }, 'request failed');
}

function procedurePath(path: string): string {
  return decodeURIComponent(path.slice(trpcPrefix.length + 1));
}

/** Answers `/api/trpc/*`, subscriptions over server-sent events included. */
export async function handleTrpc(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const started = performance.now();
  const request = fromNode(req);
  res.once('close', () => {
    // A subscription lasts as long as its page is open, which says nothing about speed.
    if (res.getHeader('content-type')?.toString().startsWith('text/event-stream')) return;
    const seconds = (performance.now() - started) / 1000;
    observeRequest({ method: request.method, route: trpcPrefix, status: res.statusCode, seconds });
    logger.debug({ method: request.method, path: request.path, status: res.statusCode }, 'trpc');
  });
  let path: string;
  try {
    path = procedurePath(request.path);
  } catch {
    res.writeHead(400).end();
    return;
  }
  await nodeHTTPRequestHandler({
    req,
    res,
    path,
    router: appRouter,
    maxBodySize: bodyLimit,
    maxBatchSize,
    createContext: async ({ info }) => makeContext(request, info.signal, (name, value) => res.setHeader(name, value)),
    onError,
  });
}

/** The same for hosts that speak fetch. */
export async function handleTrpcFetch(incoming: Request): Promise<Response> {
  const request = fromFetch(incoming);
  const { url, method, headers, signal } = incoming;
  let body: Buffer | undefined;
  let tooLarge: unknown;
  try {
    if (method === 'POST') body = await request.readBody();
  } catch (error) {
    tooLarge = error;
  }
  return fetchRequestHandler({
    // The adapter reads a body of any size; what it gets was read up to the limit.
    req: new Request(url, { method, headers, signal, body: body && new Uint8Array(body) }),
    endpoint: trpcPrefix,
    router: appRouter,
    maxBatchSize,
    createContext: async ({ resHeaders }) => {
      if (tooLarge) throw tooLarge;
      return makeContext(request, signal, (name, value) => resHeaders.set(name, value));
    },
    onError,
  });
}
