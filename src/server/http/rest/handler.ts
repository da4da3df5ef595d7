import { hasPersonalToken } from '@/server/auth/bearer';
import { toJson } from '@/server/compiled';
import { type Context, callerOf, createContext } from '@/server/context';
import { describeError, refuse } from '@/server/errors';
import {
  anonymousBodyLimit,
  bodyLimit,
  type HttpRequest,
  type HttpResponse,
  type PlainRequest,
  plainRequest,
  type SentResponse,
  unreadStatus,
  withBody,
} from '@/server/http/exchange';
import { apiHeaders, openCors, preflightHeaders } from '@/server/http/headers';
import { openApiJson } from '@/server/http/openapi/document';
import { takeRequestId } from '@/server/http/request-id';
import { readJson } from '@/server/http/rest/body';
import { withCaching } from '@/server/http/rest/caching';
import { failureResponse } from '@/server/http/rest/failures';
import { checkIdempotencyKey, type IdempotentCall, runIdempotent } from '@/server/http/rest/idempotency';
import { readQuery } from '@/server/http/rest/query';
import { hasBody, type Route, type RouteTable, restPrefix, routeTable, takesTurns } from '@/server/http/rest/routes';
import { type Asker, changeInTurn, readInTurn, reportInTurn } from '@/server/http/turns/turns';
import { requestLogger } from '@/server/logger';
import { observeRequest } from '@/server/metrics';
import {
  extentOf,
  findLarge,
  isHeavy,
  type LargeTurn,
  largeBody,
  turnOfBody,
} from '@/server/routers/matches/data-size';
import { turnOfFile } from '@/server/routers/matches/exchange/data-turn';
import { sizeOfBody } from '@/server/worker/fair-queue';
import { hasWorker, offload } from '@/server/worker/offload';

async function callProcedure(route: Route, context: Context, input: Record<string, unknown>): Promise<HttpResponse> {
  try {
    const output = await route.call(context, input);
    const status = route.successStatus;
    if (!hasBody(status)) return { status, headers: {}, body: null };
    const { contentType } = route.meta;
    if (contentType) return { status, headers: { 'Content-Type': contentType }, body: String(output) };
    return { status, headers: { 'Content-Type': 'application/json' }, body: toJson(output) ?? 'null' };
  } catch (error) {
    const { signal, requestId } = context;
    // The client has gone, and what waited to be done for it was dropped.
    if (signal?.aborted && error instanceof Error && error.cause === signal.reason) throw error;
    return failureResponse(error, requestId);
  }
}

/** Whose idempotency keys these are, and whose quota they take from. Null for an anonymous caller. */
async function identifyCaller(
  route: Route,
  context: Context,
): Promise<Pick<IdempotentCall, 'caller' | 'owner'> | null> {
  if (route.access === 'apiKey') {
    const { id, projectId } = await context.requireKey();
    return { caller: id, owner: projectId };
  }
  if (route.access === 'client') {
    const { id, userId } = await context.requireClient();
    return { caller: id, owner: userId };
  }
  try {
    const user = await context.user();
    return user && { caller: user.id, owner: user.id };
  } catch (error) {
    // Clients may still send an expired access token when they exchange a refresh token; it identifies nobody.
    if (describeError(error).reason !== 'INVALID_ACCESS_TOKEN') throw error;
    return null;
  }
}

/** A request for a route, with the path as it was matched. */
type Call = { route: Route; path: string; pathValues: string[]; request: HttpRequest };

/** Checks credentials: only callers who are admitted have their bodies read, and wait for the worker thread. */
async function admit(route: Route, context: Context): Promise<void> {
  if (route.access === 'apiKey') await context.requireKey();
  if (route.access === 'client') await context.requireClient();
  if (route.access === 'user') await context.requireUser();
  // What anyone may read shows more to some, so a bearer that is not valid must not pass for nobody.
  if (route.access === 'public' && route.method === 'GET') await context.user();
  // Reading a draw is no work to begin for one request too many.
  if (route.meta.wholeDraw) await context.requireCounted();
}

const bodyLimitOf = ({ access }: Route) => (access === 'public' ? anonymousBodyLimit : bodyLimit);

/** Answers for a caller who is admitted. */
async function runRoute({ route, path, pathValues, request }: Call, context: Context): Promise<HttpResponse> {
  const pathInput = Object.fromEntries(route.pathParameters.map((name, index) => [name, pathValues[index]]));
  if (!route.takesBody) {
    const response = await callProcedure(
      route,
      context,
      Object.assign(readQuery(route.input, request.query), pathInput),
    );
    await context.requireCounted();
    return response;
  }
  const body = await readJson(request, bodyLimitOf(route));
  // Not a copy: one of eighty thousand fields would take as long as everything else.
  const input = Object.assign(body.value, pathInput);
  const run = () => callProcedure(route, context, input);
  const key = route.method === 'POST' ? request.headers['idempotency-key'] : undefined;
  if (key === undefined) return run();

  checkIdempotencyKey(key);
  const caller = await identifyCaller(route, context);
  // Anybody could fill the table with keys; what needs no credential is safe to repeat as it is.
  if (caller === null) return run();
  const repeatable = { method: route.method, path, query: request.query, body: body.raw };
  // A personal access token must not get what it could not have asked for: what a session created.
  const whose = hasPersonalToken(context.authorization) ? `${caller.caller} by token` : caller.caller;
  return runIdempotent({ ...caller, caller: whose, key, request: repeatable }, run);
}

/** @property signal that the client has gone */
type Added = {
  requestId: string;
  addedHeaders: Record<string, string>;
  isCounted?: boolean;
  signal?: AbortSignal;
};

function contextOf({ route, request }: Call, { requestId, addedHeaders, isCounted, signal }: Added): Context {
  return createContext({
    requestId,
    isCounted,
    signal,
    ip: request.ip,
    transport: 'rest',
    authorization: request.headers.authorization,
    apiKey: request.headers['x-api-key'],
    ifMatch: request.headers['if-match'],
    readsOnly: route.method === 'GET',
    setHeader: (name, value) => {
      addedHeaders[name] = value;
    },
  });
}

async function respondHere(call: Call, context: Context): Promise<HttpResponse> {
  return withCaching(call.route, call.request, await runRoute(call, context));
}

/** The response to a call, refusals and failures too. @param answer its success */
async function respondWith<Sent extends SentResponse>(
  call: Call,
  { requestId, isCounted, signal }: Omit<Added, 'addedHeaders'>,
  answer: (context: Context) => Promise<Sent>,
): Promise<Sent | HttpResponse> {
  const addedHeaders: Record<string, string> = {};
  const context = contextOf(call, { requestId, addedHeaders, isCounted, signal });
  let response: Sent | HttpResponse;
  try {
    await admit(call.route, context);
    response = await answer(context);
  } catch (error) {
    response = failureResponse(error, requestId);
  }
  Object.assign(response.headers, addedHeaders);
  return response;
}

/** A request as it goes to the worker thread, and the bytes of its body. It was counted before. */
type Passed = { request: PlainRequest; body: Uint8Array | null; requestId: string };

const respondElsewhere = offload('rest', async ({ request, body, requestId }: Passed): Promise<SentResponse> => {
  const path = decodePath(request.path.slice(restPrefix.length));
  const match = routeTable.findPath(path);
  const route = match?.found.byMethod.get(request.method === 'HEAD' ? 'GET' : request.method);
  if (!match || !route) throw new Error(`There is no route ${request.method} ${path}`);
  const call = { route, path, pathValues: match.values, request: withBody(request, Buffer.from(body ?? [])) };
  const response = await respondWith(call, { requestId, isCounted: true }, (context) => respondHere(call, context));
  return {
    ...response,
    body: response.body === null ? null : new TextEncoder().encode(response.body),
    isOwnBody: true,
  };
});

/**
 * Whose turn a request takes in a worker thread, if it concerns a large draw.
 * @param signal that its client has gone
 */
async function largeTurn(
  { route, pathValues, request }: Call,
  context: Context,
  signal: AbortSignal | undefined,
): Promise<LargeTurn | null> {
  if (!route.meta.wholeDraw || !hasWorker()) return null;
  if (route.meta.wholeDraw === 'of a file') {
    const { length } = await request.readBody();
    return turnOfFile(request.ip, length, async () => (await readJson(request)).value);
  }
  const values = Object.fromEntries(route.pathParameters.map((name, index) => [name, pathValues[index] ?? '']));
  const { matchId, tournamentId = values.id } = values;
  const key = matchId ? { matchId } : tournamentId ? { tournamentId } : null;
  const length = Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY);
  // Nobody has checked yet whether the caller may write to what the path names, and it must not take its turns.
  if (route.takesBody && length > largeBody) return turnOfBody(request.ip, length);
  const use = route.method === 'GET' ? 'read' : 'change';
  if (!key) return null;
  const asker = { ...(await askerOf({ route, request }, context)), kinds: [] };
  const large = await findLarge(key, use, {
    isHeavy: isHeavy(route.meta),
    ...extentOf([route.meta]),
    inTurn: (read) => readInTurn({ ...asker, signal }, read),
  });
  if (!large || route.access !== 'apiKey') return large;
  // A key of another project, which finds nothing, must not take the turns of this one.
  return { ...large, owner: `${(await context.requireKey()).projectId} ${use}` };
}

/** Who asks, where callers take turns: a key takes its project's, and all anti-cheat clients of an account are one. */
async function askerOf({ route, request }: Pick<Call, 'route' | 'request'>, context: Context): Promise<Asker> {
  const known = await identifyCaller(route, context);
  const caller = (route.access === 'client' ? known?.owner : known?.caller) ?? '';
  const project = route.access === 'apiKey' ? (await context.requireKey()).steps : undefined;
  return { ip: request.ip, caller, project, kinds: [`${route.method} ${route.pattern}`] };
}

/** The same call, whose body can be read several times. */
async function received(call: Call): Promise<Call> {
  return { ...call, request: withBody(call.request, await call.request.readBody(bodyLimitOf(call.route))) };
}

/** Changes in turn. What a body takes to arrive, its sender decides, so that none waits for it in a turn. */
async function changeHere(sent: Call, context: Context): Promise<HttpResponse> {
  const { route } = sent;
  const asker = await askerOf(sent, context);
  const call = route.takesBody ? await received(sent) : sent;
  const { length } = route.takesBody ? await call.request.readBody() : Buffer.alloc(0);
  // To keep the response for a key takes statements of the call alone.
  const isShared = route.access === 'client' && call.request.headers['idempotency-key'] === undefined;
  if (isShared) return reportInTurn(asker, length, () => respondHere(call, context));
  const turn = { ...asker, by: [route.meta], size: sizeOfBody(length) };
  return changeInTurn(turn, () => respondHere(call, context));
}

const unread: HttpResponse = { status: unreadStatus, headers: {}, body: null };

function respond(sent: Call, requestId: string): Promise<SentResponse> {
  const { route } = sent;
  const signal = route.method === 'GET' ? sent.request.gone?.() : undefined;
  return respondWith(sent, { requestId, signal }, async (context): Promise<SentResponse> => {
    const call = route.meta.wholeDraw === 'of a file' ? await received(sent) : sent;
    const { request } = call;
    try {
      const large = await largeTurn(call, context, signal);
      if (large === null && !takesTurns(route)) return await respondHere(call, context);
      if (large === null && route.method !== 'GET') return await changeHere(call, context);
      if (large === null) {
        const asker = await askerOf(call, context);
        const target = `${request.path}?${request.query}`;
        return await readInTurn({ ...asker, target, signal }, () => respondHere(call, context));
      }
      const body = route.takesBody ? new Uint8Array(await request.readBody()) : null;
      const key = route.access === 'apiKey' ? await context.requireKey() : undefined;
      const caller = key ? [key.id] : await callerOf(context);
      const use = route.method === 'GET' ? 'read' : 'change';
      const from = { ip: request.ip, project: key?.steps, use } as const;
      const { owner, isLong } = large;
      const turn = { owner, isLong, caller, from, size: sizeOfBody(body?.length ?? 0), signal };
      return await respondElsewhere(turn, { request: plainRequest(request), body, requestId });
    } catch (error) {
      if (signal?.aborted) return { ...unread, headers: {} };
      throw error;
    }
  });
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

function listAllowed(methods: Iterable<string>): string {
  const list = new Set([...methods, 'OPTIONS']);
  if (list.has('GET')) list.add('HEAD');
  return [...list].join(', ');
}

/** The document is no procedure: it tells about all of them. */
const documentRoute = { access: 'public', method: 'GET' } as const;
const documentPath = { pattern: '/openapi.json', byMethod: new Map([['GET', documentRoute]]) };

/** Its bytes: to encode two and a half million characters for each response takes the process ten milliseconds. */
let documentBytes: { text: string; bytes: Uint8Array<ArrayBuffer> } | undefined;

function documentResponse(request: HttpRequest): SentResponse {
  const headers = { 'Content-Type': 'application/json' };
  const text = openApiJson();
  const response = withCaching(documentRoute, request, { status: 200, headers, body: text });
  if (response.body === null) return response;
  if (documentBytes?.text !== text) documentBytes = { text, bytes: new TextEncoder().encode(text) };
  return { ...response, body: documentBytes.bytes, isReference: true };
}

/** The label of what belongs to no route. */
const unmatched = 'unmatched';

type Outcome = {
  response: SentResponse;
  /** The label in logs and metrics. */
  pattern: string;
  /** Whether pages of any origin may read the response. */
  open: boolean;
};

async function dispatch(table: RouteTable, request: HttpRequest, requestId: string): Promise<Outcome> {
  const path = decodePath(request.path.slice(restPrefix.length));
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const match = path === documentPath.pattern ? { found: documentPath, values: [] } : table.findPath(path);
  if (!match) {
    return { response: failureResponse(refuse('ROUTE_NOT_FOUND'), requestId), pattern: unmatched, open: false };
  }
  const { pattern, byMethod } = match.found;
  if (method === 'OPTIONS') {
    const requested = request.headers['access-control-request-method'];
    const open = byMethod.get('GET')?.access === 'public' && (requested === 'GET' || requested === 'HEAD');
    const headers = { Allow: listAllowed(byMethod.keys()), ...(open ? preflightHeaders : {}) };
    return { response: { status: 204, headers, body: null }, pattern, open: false };
  }
  const route = byMethod.get(method);
  if (!route) {
    const response = failureResponse(refuse('METHOD_NOT_ALLOWED'), requestId);
    response.headers.Allow = listAllowed(byMethod.keys());
    return { response, pattern, open: false };
  }
  const open = route.method === 'GET' && route.access === 'public';
  const response =
    'call' in route
      ? await respond({ route, path, pathValues: match.values, request }, requestId)
      : documentResponse(request);
  return { response, pattern, open };
}

/** Handles requests below `/api/v1` by the routes of a table. The handler never throws. */
export function createRestHandler(table: RouteTable): (request: HttpRequest) => Promise<SentResponse> {
  return async (request) => {
    const started = performance.now();
    const requestId = takeRequestId(request.headers['x-request-id']);
    const { response, pattern, open } = await dispatch(table, request, requestId);
    const seconds = (performance.now() - started) / 1000;
    // Not by methods that a route does not have: of thirty, each would make the metrics longer for every route.
    const route = response.status === 405 ? unmatched : pattern;
    observeRequest({ method: request.method, route, status: response.status, seconds });
    requestLogger.info(
      {
        requestId,
        method: request.method,
        route: pattern,
        status: response.status,
        ms: Math.round(seconds * 1e4) / 10,
        ip: request.ip,
      },
      'rest',
    );
    Object.assign(response.headers, apiHeaders, open ? openCors : null);
    response.headers['X-Request-Id'] = requestId;
    return response;
  };
}

export const handleRest = createRestHandler(routeTable);
