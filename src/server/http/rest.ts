import { hash } from 'node:crypto';
import { createOpenApiNodeHttpHandler } from 'trpc-openapi';
import { type Context, createContext } from '@/server/context';
import { describeError, refuse } from '@/server/errors';
import { readJson } from '@/server/http/body';
import type { HttpAnswer, HttpRequest } from '@/server/http/exchange';
import { failureAnswer } from '@/server/http/failures';
import { apiHeaders, openCors, preflightHeaders } from '@/server/http/headers';
import { checkIdempotencyKey, runIdempotent } from '@/server/http/idempotency';
import { openApiJson } from '@/server/http/openapi';
import { takeRequestId } from '@/server/http/request-id';
import { findPlace, type Route, readQuery, restPrefix, routerForAdapter } from '@/server/http/routes';
import { logger, requestLogger } from '@/server/logger';
import { observeRequest } from '@/server/metrics';

const jsonHeaders = new Headers({ 'content-type': 'application/json' });
const neverAborted = new AbortController().signal;

/** What the adapter reads of a request: a fetch `Request` by type, so that it builds none of its own from streams. */
class AdapterRequest {
  failure: unknown;
  constructor(
    readonly context: Context,
    readonly method: string,
    readonly url: string,
    readonly body: Record<string, unknown>,
    readonly query: Record<string, unknown>,
  ) {}
  readonly headers = jsonHeaders;
  /** Nothing on REST is long enough to be worth aborting. */
  readonly signal = neverAborted;
}
Object.setPrototypeOf(AdapterRequest.prototype, Request.prototype);

/** Where the adapter puts its answer. */
class AdapterResponse {
  statusCode = 200;
  body: string | undefined;
  setHeader() {}
  end(body?: string) {
    this.body = body;
  }
}

type Handler = Parameters<typeof createOpenApiNodeHttpHandler>[0];
const adapter = createOpenApiNodeHttpHandler({
  router: routerForAdapter() as unknown as Handler['router'],
  createContext: ({ req }: { req: unknown }) => (req as AdapterRequest).context,
  onError: ({ error, req }: { error: unknown; req: unknown }) => {
    (req as AdapterRequest).failure = error;
  },
} as unknown as Handler) as unknown as (req: AdapterRequest, res: AdapterResponse) => Promise<void>;

async function callProcedure(
  route: Route,
  path: string,
  request: HttpRequest,
  context: Context,
  body: Record<string, unknown>,
): Promise<HttpAnswer> {
  const call = new AdapterRequest(context, route.method, path, body, readQuery(route, request.query));
  const response = new AdapterResponse();
  await adapter(call, response);
  if (call.failure !== undefined) return failureAnswer(call.failure, context.requestId, logger);
  const empty = route.successStatus === 204;
  return {
    status: route.successStatus,
    headers: empty ? {} : { 'Content-Type': 'application/json' },
    body: empty ? null : (response.body ?? 'null'),
  };
}

/** Parameters arrive decoded where that yields plain text; anything else stays encoded and finds nothing. */
function decodePath(path: string): string {
  const plain = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
  if (!plain.includes('%')) return plain;
  return plain.replace(/%([2-7][0-9A-Fa-f])/g, (encoded, code: string) => {
    const character = String.fromCharCode(Number.parseInt(code, 16));
    return /[\w.~-]/.test(character) ? character : encoded;
  });
}

let lastTagged = { body: '', tag: '' };

/** The document is long and always the same, so the last long body is remembered with its tag. */
function strongTag(body: string): string {
  if (body === lastTagged.body) return lastTagged.tag;
  const tag = `"${hash('sha1', body, 'base64url')}"`;
  if (body.length > 100_000) lastTagged = { body, tag };
  return tag;
}

/** The clock alone makes no answer a new one; a 304 tells it in `Date`. A tag that leaves something out is a weak one. */
function tagOf(body: string): string {
  const lasting = body.replaceAll(/"serverTime":"[^"]*",?/g, '');
  return lasting.length === body.length ? strongTag(body) : `W/${strongTag(lasting)}`;
}

function matches(ifNoneMatch: string | undefined, tag: string): boolean {
  if (!ifNoneMatch) return false;
  const opaque = (each: string) => each.trim().replace(/^W\//, '');
  return ifNoneMatch.split(',').some((candidate) => opaque(candidate) === opaque(tag) || candidate.trim() === '*');
}

/** Adds what lets a caller keep an answer, and shortens it to 304 when they have it already. */
function withCaching(route: Pick<Route, 'access' | 'method'>, request: HttpRequest, answer: HttpAnswer): HttpAnswer {
  const cacheable = route.method === 'GET' && route.access !== 'user' && answer.status === 200;
  if (!cacheable || answer.body === null) {
    return { ...answer, headers: { 'Cache-Control': 'no-store', ...answer.headers } };
  }
  const tag = route.access === 'apiKey' ? strongTag(answer.body) : tagOf(answer.body);
  const headers: Record<string, string> = {
    ...answer.headers,
    ETag: tag,
    'Cache-Control': route.access === 'apiKey' ? 'private, no-cache' : 'no-cache',
    Vary: route.access === 'apiKey' ? 'X-API-Key' : 'Authorization',
  };
  if (!matches(request.headers['if-none-match'], tag)) return { ...answer, headers };
  const { 'Content-Type': _type, ...kept } = headers;
  return { status: 304, headers: kept, body: null };
}

async function callerOf(route: Route, context: Context): Promise<string> {
  if (route.access === 'apiKey') return (await context.admitKey()).id;
  try {
    const user = await context.user();
    if (user) return user.id;
  } catch (error) {
    // Clients send their old access token along when they exchange a refresh token; only its owner is told apart by it.
    if (describeError(error).reason !== 'INVALID_ACCESS_TOKEN') throw error;
  }
  return `ip:${context.ip}`;
}

async function answerRoute(route: Route, path: string, request: HttpRequest, context: Context): Promise<HttpAnswer> {
  if (route.access === 'apiKey') await context.admitKey();
  if (route.access === 'user') await context.admitUser();
  // What anyone may read shows more to some, so a bearer that is not valid must not pass for nobody.
  if (route.access === 'public' && route.method === 'GET') await context.user();

  const takesBody = route.method !== 'GET' && route.method !== 'DELETE';
  if (!takesBody) return callProcedure(route, path, request, context, {});
  const body = await readJson(request);
  const key = route.method === 'POST' ? request.headers['idempotency-key'] : undefined;
  if (key === undefined) return callProcedure(route, path, request, context, body.value);

  checkIdempotencyKey(key);
  const call = { method: route.method, path, query: request.query, body: body.raw };
  return runIdempotent({ caller: await callerOf(route, context), key, request: call }, () =>
    callProcedure(route, path, request, context, body.value),
  );
}

function allowed(methods: Iterable<string>): string {
  const list = new Set([...methods, 'OPTIONS']);
  if (list.has('GET')) list.add('HEAD');
  return [...list].join(', ');
}

const documentRoute = { access: 'public', method: 'GET' } as const;

async function dispatch(
  request: HttpRequest,
  requestId: string,
): Promise<{ answer: HttpAnswer; pattern: string; open: boolean }> {
  const path = decodePath(request.path.slice(restPrefix.length));
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const isDocument = path === '/openapi.json';
  const place = isDocument ? { pattern: path, byMethod: new Map<string, Route>() } : findPlace(path);
  if (!place) {
    return { answer: failureAnswer(refuse('ROUTE_NOT_FOUND'), requestId, logger), pattern: 'unmatched', open: false };
  }

  const { pattern } = place;
  const methods = isDocument ? ['GET'] : [...place.byMethod.keys()];
  const hasOpenGet = isDocument || place.byMethod.get('GET')?.access === 'public';
  if (method === 'OPTIONS') {
    const asks = request.headers['access-control-request-method'];
    const open = hasOpenGet && (asks === 'GET' || asks === 'HEAD');
    const headers = { Allow: allowed(methods), ...(open ? preflightHeaders : {}) };
    return { answer: { status: 204, headers, body: null }, pattern, open: false };
  }
  if (isDocument && method === 'GET') {
    const answer = { status: 200, headers: { 'Content-Type': 'application/json' }, body: openApiJson() };
    return { answer: withCaching(documentRoute, request, answer), pattern, open: true };
  }
  const route = place.byMethod.get(method);
  if (!route) {
    const answer = failureAnswer(refuse('METHOD_NOT_ALLOWED'), requestId, logger);
    return { answer: { ...answer, headers: { ...answer.headers, Allow: allowed(methods) } }, pattern, open: false };
  }

  const added: Record<string, string> = {};
  const context = createContext({
    requestId,
    ip: request.ip,
    transport: 'rest',
    authorization: request.headers.authorization,
    apiKey: request.headers['x-api-key'],
    ifMatch: request.headers['if-match'],
    setHeader: (name, value) => {
      added[name] = value;
    },
  });
  let answer: HttpAnswer;
  try {
    answer = withCaching(route, request, await answerRoute(route, path, request, context));
  } catch (error) {
    answer = failureAnswer(error, requestId, logger);
  }
  const open = route.method === 'GET' && route.access === 'public';
  return { answer: { ...answer, headers: { ...answer.headers, ...added } }, pattern, open };
}

/** Answers any request below `/api/v1`. Never throws. */
export async function handleRest(request: HttpRequest): Promise<HttpAnswer> {
  const started = performance.now();
  const requestId = takeRequestId(request.headers['x-request-id']);
  const { answer, pattern, open } = await dispatch(request, requestId);
  const seconds = (performance.now() - started) / 1000;
  observeRequest({ method: request.method, route: pattern, status: answer.status, seconds });
  requestLogger.info(
    {
      requestId,
      method: request.method,
      route: pattern,
      status: answer.status,
      ms: Math.round(seconds * 1e4) / 10,
      ip: request.ip,
    },
    'rest',
  );
  return {
    ...answer,
    headers: { ...apiHeaders, ...(open ? openCors : {}), ...answer.headers, 'X-Request-Id': requestId },
  };
}
