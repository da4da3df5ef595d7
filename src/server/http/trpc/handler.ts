import type { IncomingMessage, ServerResponse } from 'node:http';
import { callTRPCProcedure, getTRPCErrorFromUnknown } from '@trpc/server';
import { fetchRequestHandler } from '@trpc/server/adapters/fetch';
import { nodeHTTPRequestHandler } from '@trpc/server/adapters/node-http';
import { getErrorShape } from '@trpc/server/shared';
import { stepsOf } from '@/domain/network/address-ranges';
import { maxBatchSize } from '@/domain/network/batches';
import { sessionUser } from '@/server/auth/session';
import { fillIn } from '@/server/compiled';
import { type Context, createContext } from '@/server/context';
import { describeError, refuse } from '@/server/errors';
import { sendEvents } from '@/server/http/event-stream';
import {
  anonymousBodyLimit,
  bodyLimit,
  closing,
  fromFetch,
  fromNode,
  type HttpRequest,
  type PlainRequest,
  plainRequest,
  type SentResponse,
  sendToNode,
  toFetch,
  unreadStatus,
  withBody,
} from '@/server/http/exchange';
import { apiHeaders, isSameOrigin } from '@/server/http/headers';
import { isJson, requireShape } from '@/server/http/json-shape';
import { takeRequestId } from '@/server/http/request-id';
import { changeInTurn, readInTurn } from '@/server/http/turns/turns';
import { untilWritten } from '@/server/http/turns/written';
import { liveStreams } from '@/server/limits/live-streams';
import { logger } from '@/server/logger';
import { observeRequest } from '@/server/metrics';
import { appRouter } from '@/server/routers/_app';
import { streamTimes } from '@/server/trpc';
import { sizeOfBody } from '@/server/worker/fair-queue';
import { hasWorker, offload } from '@/server/worker/offload';
import { calledBy, isBatch, kindOf, metaOf, plainQuery, procedures } from './calls';
import { largeTurn } from './draws';

export const trpcPrefix = '/api/trpc';

type Answering = {
  /** Aborts when the client has gone before the response was whole. */
  signal: AbortSignal;
  /** Aborts when the response is over, however it ends. */
  ended: AbortSignal;
  setHeader: (name: string, value: string) => void;
};

function makeContext(request: HttpRequest, { signal, ended, setHeader }: Answering): Context {
  // A cookie goes along wherever a page sends it from; a write needs a page of ours.
  if (request.method !== 'GET' && !isSameOrigin(request.headers)) throw refuse('CROSS_ORIGIN');
  const requestId = takeRequestId(request.headers['x-request-id']);
  setHeader('X-Request-Id', requestId);
  return createContext({
    requestId,
    ip: request.ip,
    transport: 'trpc',
    authorization: request.headers.authorization,
    cookie: request.headers.cookie,
    sessionUser: () => sessionUser(new Headers({ cookie: request.headers.cookie ?? '' })),
    setHeader,
    signal,
    countStream: async (account) => {
      const close = await liveStreams.open(request.ip, account);
      if (ended.aborted) close();
      else ended.addEventListener('abort', close, { once: true });
    },
  });
}

function onError({ error, path, ctx }: { error: Error; path?: string; ctx?: Context }): void {
  if (describeError(error).status < 500) return;
  // The client has gone, and what waited to be done for it was dropped.
  if (ctx?.signal?.aborted && error.cause === ctx.signal.reason) return;
  logger.error({ err: error, procedure: path, requestId: ctx?.requestId }, 'request failed');
}

/** The names in a path, as they were sent: tRPC decodes them, once. */
const namesIn = (path: string): string => path.slice(trpcPrefix.length + 1);

/** A request as it goes to the worker thread. */
type Passed = { request: PlainRequest; body: string | null };

const answerElsewhere = offload('trpc', async ({ request, body }: Passed): Promise<SentResponse> => {
  const { method, path, query } = request;
  const headers = Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
    value === undefined || name === 'content-length' ? [] : [[name, value]],
  );
  const incoming = new Request(`http://localhost${path}?${query}`, { method, headers, body });
  const sent: SentResponse = { status: 200, headers: {}, body: null };
  const text = await fillIn(async () => {
    const response = await answer(incoming, withBody(request, Buffer.from(body ?? '')));
    Object.assign(sent, { status: response.status, headers: Object.fromEntries(response.headers) });
    return response.text();
  });
  return { ...sent, body: new TextEncoder().encode(text), isOwnBody: true };
});

/** The account that a request comes from, by credentials and from a page that are accepted. */
async function accountIn(findContext: () => Context): Promise<string | null> {
  try {
    return (await findContext().user())?.id ?? null;
  } catch {
    return null;
  }
}

function accountOf(request: HttpRequest): Promise<string | null> {
  const { signal } = new AbortController();
  return accountIn(() => makeContext(request, { signal, ended: signal, setHeader: () => undefined }));
}

/**
 * Has the worker thread answer a request that concerns a large draw.
 * @returns null when it does not
 * @throws OVERLOADED when too much waits for that thread, VALIDATION_FAILED when it concerns several
 */
async function passOn(request: HttpRequest, names: string[], body: string | null): Promise<SentResponse | null> {
  // A longer batch is refused; before that, each of its inputs would be looked up.
  if (!hasWorker() || names.length > maxBatchSize || request.method === 'HEAD') return null;
  // What is called by the wrong method is refused without reading anything.
  const type = body === null ? 'query' : 'mutation';
  if (!names.some((name) => metaOf(name).wholeDraw && procedures[name]?._def.type === type)) return null;
  // Nobody may change a draw without an account: what others send is not looked at, and does not wait in front of it.
  const account = body === null ? null : await accountOf(request);
  if (body !== null && account === null) return null;
  const signal = body === null ? request.gone?.() : undefined;
  const large = await largeTurn(names, request, body, account, signal);
  if (large === null) return null;
  const caller = account === null ? stepsOf(request.ip) : [account];
  const from = { ip: request.ip, use: body === null ? 'read' : 'change' } as const;
  const turn = { owner: large.owner, isLong: large.isLong, caller, from, size: sizeOfBody(body?.length ?? 0), signal };
  return answerElsewhere(turn, { request: plainRequest(request), body });
}

/** Of every response: what a person reads by their cookie is kept nowhere. */
const headers = { ...apiHeaders, 'Cache-Control': 'no-store' };
const responseMeta = () => ({ headers });

/** The response to a request that no procedure was called for. */
function failed(request: HttpRequest, cause: unknown): SentResponse {
  const { status, reason, retryAfter } = describeError(cause);
  const requestId = takeRequestId(request.headers['x-request-id']);
  if (reason === 'INTERNAL') logger.error({ err: cause, path: request.path, requestId }, 'request failed');
  const error = getTRPCErrorFromUnknown(cause);
  const { _config: config } = appRouter._def;
  const shape = getErrorShape({ config, error, type: 'unknown', path: undefined, input: undefined, ctx: undefined });
  const data = { ...shape.data, requestId };
  const body = JSON.stringify({ error: config.transformer.output.serialize({ ...shape, data }) });
  return {
    status,
    headers: {
      ...headers,
      'Content-Type': 'application/json',
      'X-Request-Id': requestId,
      ...(retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) }),
      ...(reason === 'METHOD_NOT_ALLOWED' ? { Allow: methods.join(', ') } : {}),
    },
    body,
  };
}

/** HEAD tells that tRPC is there, and calls nothing. */
const methods = ['GET', 'HEAD', 'POST'];

/** How large a body the caller may send: what is read is parsed before anything asks who sends it. */
async function bodyLimitOf(request: HttpRequest): Promise<number> {
  if (Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY) <= anonymousBodyLimit) return bodyLimit;
  return (await accountOf(request)) !== null ? bodyLimit : anonymousBodyLimit;
}

/**
 * The body of a call, or why it is refused before anything parses it. tRPC would also parse forms, which no procedure of ours
 * takes, and that takes more than a second for a mebibyte.
 */
async function readCall(request: HttpRequest): Promise<{ body: Buffer | null; refusal?: unknown }> {
  try {
    if (request.method !== 'POST') return { body: null };
    if (!isJson(request.headers['content-type'] ?? 'application/json')) throw refuse('UNSUPPORTED_MEDIA_TYPE');
    const body = await request.readBody(await bodyLimitOf(request));
    await requireShape(body);
    return { body };
  } catch (refusal) {
    return { body: null, refusal };
  }
}

type Subscription = { path: string; query: string; res: ServerResponse; ctx: Context; ended: AbortSignal };

/**
 * Answers a call of a subscription with what it yields, for as long as the client listens.
 * @param onOpen called when it has read what it needs to begin, or is refused
 */
async function subscribe({ path, query, res, ctx, ended }: Subscription, onOpen: () => void): Promise<void> {
  const { _config: config } = appRouter._def;
  const { input: inputs, output: outputs } = config.transformer;
  const type = 'subscription';
  const input = new URLSearchParams(query).get('input');
  const getRawInput = async () => (input ? inputs.deserialize(JSON.parse(input)) : undefined);
  const call = { router: appRouter, path, type, getRawInput, ctx, signal: ended, batchIndex: 0 } as const;
  const toJson = (value: unknown) => JSON.stringify(outputs.serialize(value));
  await sendEvents(res, {
    headers,
    ...streamTimes,
    ended,
    open: async () => {
      const opened = callTRPCProcedure(call);
      opened.then(onOpen, onOpen);
      return (await opened) as AsyncIterable<unknown>;
    },
    toJson,
    describe: (cause) => {
      const error = getTRPCErrorFromUnknown(cause);
      onError({ error, path, ctx });
      return toJson(getErrorShape({ config, error, type, path, input: undefined, ctx }));
    },
  });
}

/**
 * Has tRPC answer in one piece, whatever the client accepts: in lines, as `application/jsonl`, a response has no length. It reads
 * this header before `Accept`.
 */
const wholeResponse = { 'trpc-accept': 'application/json' };

/** Answers `/api/trpc/*`, subscriptions over server-sent events included. */
export async function handleTrpc(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const started = performance.now();
  Object.assign(req.headers, wholeResponse);
  const sent = fromNode(req, res);
  const request = { ...sent, query: plainQuery(sent.query) };
  req.url = `${request.path}?${request.query}`;
  res.once('close', () => {
    // A subscription lasts as long as its page is open, which says nothing about speed.
    if (res.getHeader('content-type')?.toString().startsWith('text/event-stream')) return;
    const seconds = (performance.now() - started) / 1000;
    const status = res.headersSent ? res.statusCode : unreadStatus;
    observeRequest({ method: request.method, route: trpcPrefix, status, seconds });
    logger.debug({ method: request.method, path: request.path, status }, 'trpc');
  });
  let path: string;
  try {
    path = decodeURIComponent(namesIn(request.path));
  } catch {
    res.writeHead(400).end();
    return;
  }
  if (!methods.includes(request.method)) return sendToNode(req, res, failed(request, refuse('METHOD_NOT_ALLOWED')));
  const { body, refusal } = await readCall(request);
  // The client has gone before its body was whole, or does not read why that is refused.
  if (refusal && res.closed) return;
  const text = body?.toString() ?? null;
  if (!refusal) {
    try {
      const passed = await passOn(request, calledBy(path, request.query), text);
      if (passed) return sendToNode(req, res, passed);
    } catch (error) {
      return res.closed ? undefined : sendToNode(req, res, failed(request, error));
    }
  }
  if (refusal) res.setHeader('Connection', 'close');
  // The adapter takes a body from here when there is nothing left to read.
  Object.assign(req, { body: text ?? undefined });
  const ended = closing(res);
  // What cannot be a stream is refused by the adapter.
  const isStream = body === null && procedures[path]?._def.type === 'subscription' && !isBatch(request.query);
  const gone = new AbortController();
  const signal = isStream ? ended : gone.signal;
  let context: Context | undefined;
  const findContext = () => {
    const setHeader = (name: string, value: string) => void res.setHeader(name, value);
    context ??= makeContext(request, { signal, ended, setHeader });
    return context;
  };
  const call = () =>
    nodeHTTPRequestHandler({
      req,
      res,
      path: namesIn(request.path),
      router: appRouter,
      maxBatchSize,
      createContext: async ({ info }) => {
        if (refusal) throw refusal;
        info.signal.addEventListener('abort', () => gone.abort(), { once: true });
        return findContext();
      },
      responseMeta,
      onError,
    });
  if (refusal || request.method === 'HEAD') return call();
  const called = calledBy(path, request.query).slice(0, maxBatchSize);
  const caller = { ip: request.ip, caller: (await accountIn(findContext)) ?? '', kinds: called.map(kindOf) };
  const reader = { ...caller, target: req.url, reads: called.length, signal: ended };
  // A subscription lasts as long as its reader: its turn is over when it has begun or is refused.
  const begin = () =>
    new Promise<void>((begun, failed) => {
      subscribe({ path, query: request.query, res, ctx: findContext(), ended }, begun).then(begun, failed);
    });
  const callAndAnswer = () => untilWritten(res, call);
  const answered = isStream
    ? readInTurn(reader, begin)
    : body === null
      ? readInTurn(reader, callAndAnswer)
      : changeInTurn({ ...caller, by: called.map(metaOf), size: sizeOfBody(body.length) }, callAndAnswer);
  await answered.catch((error: unknown) => {
    if (!res.closed) sendToNode(req, res, failed(request, error));
  });
}

/** The same for hosts that speak fetch. */
export async function handleTrpcFetch(incoming: Request): Promise<Response> {
  const request = fromFetch(incoming);
  if (!methods.includes(request.method)) return toFetch('GET', failed(request, refuse('METHOD_NOT_ALLOWED')));
  return answer(incoming, request);
}

async function answer(incoming: Request, request: HttpRequest): Promise<Response> {
  const { url, method, signal } = incoming;
  const headers = { ...Object.fromEntries(incoming.headers), ...wholeResponse };
  const { body, refusal } = await readCall(request);
  return fetchRequestHandler({
    // The adapter reads a body of any size; what it gets was read up to the limit.
    req: new Request(url, { method, headers, signal, body: body && new Uint8Array(body) }),
    endpoint: trpcPrefix,
    router: appRouter,
    maxBatchSize,
    createContext: async ({ resHeaders }) => {
      if (refusal) throw refusal;
      return makeContext(request, { signal, ended: signal, setHeader: (name, value) => resHeaders.set(name, value) });
    },
    responseMeta,
    onError,
  });
}
