import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { MessageChannel } from 'node:worker_threads';
import { refuse } from '@/server/errors';
import { addressOf, callerAddress } from '@/server/http/caller-address';
import { abort, lateBody } from '@/server/http/sockets/abort';
import { lingerAfter } from '@/server/http/sockets/linger';
import { receivedAtOnce, receiveInTurn } from '@/server/http/turns/bodies';
import { chunksInTurn } from '@/server/http/turns/chunks';

/** Largest body that any route takes, in bytes, and largest without a credential: what anyone can do needs no more. */
export const bodyLimit = 1024 * 1024;
export const anonymousBodyLimit = 64 * 1024;

/** A request, whatever server it came through. */
export type HttpRequest = {
  method: string;
  /** The part before `?`, still percent-encoded. */
  path: string;
  /** The part after `?`; empty when there is none. */
  query: string;
  /** By lower-case name. */
  headers: Record<string, string | undefined>;
  /** The caller's address, after trusted proxies. */
  ip: string;
  /** The whole body. Throws BODY_TOO_LARGE as soon as it passes the limit, which is `bodyLimit` if left out. */
  readBody: (limit?: number) => Promise<Buffer>;
  /** Aborted when the client has gone, before or after it got its response; absent where nobody knows. */
  gone?: () => AbortSignal;
};

/** The parts of a request that can go to the worker thread. */
export type PlainRequest = Omit<HttpRequest, 'readBody' | 'gone'>;

export function plainRequest({ method, path, query, headers, ip }: HttpRequest): PlainRequest {
  return { method, path, query, headers, ip };
}

/** A request with the body that was read of it elsewhere. */
export function withBody(request: PlainRequest, body: Buffer): HttpRequest {
  return { ...request, readBody: async () => body };
}

/** A whole response; nothing of the REST interface is streamed. */
export type HttpResponse = { status: number; headers: Record<string, string>; body: string | null };

/** A response as it is sent: what the worker thread made is bytes already. */
export type SentResponse = Omit<HttpResponse, 'body'> & {
  body: string | Uint8Array<ArrayBuffer> | null;
  /** Whether nothing else uses the bytes of the body, so that they can be freed once they are sent. */
  isOwnBody?: boolean;
  /** Whether it is the whole API reference, whose bytes take a turn of their own to be sent. */
  isReference?: boolean;
};

/** The status, in the log and in metrics, of a response that nobody reads because the client has gone. */
export const unreadStatus = 499;

function splitUrl(url: string): { path: string; query: string } {
  const mark = url.indexOf('?');
  return mark === -1 ? { path: url, query: '' } : { path: url.slice(0, mark), query: url.slice(mark + 1) };
}

async function readStream(
  stream: AsyncIterable<Uint8Array>,
  declared: string | undefined,
  limit = bodyLimit,
): Promise<Buffer> {
  const tooLarge = () =>
    refuse(
      'BODY_TOO_LARGE',
      limit < bodyLimit ? { message: `Without signing in, a body has at most ${limit / 1024} KiB.` } : {},
    );
  if (declared !== undefined && Number(declared) > limit) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.byteLength;
    if (size > limit) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

/** Milliseconds in which a body that takes a turn has to arrive; the whole request has twice as long. */
const receiveMs = 30_000;

/** The chunks of a Node request; leaving early does not destroy the socket, which still has to carry the response. */
async function readNodeBody(req: IncomingMessage, ip: string, limit = bodyLimit): Promise<Buffer> {
  const length = req.headers['content-length'];
  const declared = length === undefined ? Number.POSITIVE_INFINITY : Number(length);
  const close = () => abort(req.socket, lateBody);
  const read = async () => {
    const timer = declared > receivedAtOnce ? setTimeout(close, receiveMs) : undefined;
    try {
      return await readStream(req.iterator({ destroyOnReturn: false }), length, limit);
    } catch (error) {
      // The error of the connection looks like one of ours to the database, and would be logged and counted as that.
      if (req.destroyed && !req.complete) throw refuse('MALFORMED_JSON', { message: 'The body did not arrive whole.' });
      throw error;
    } finally {
      clearTimeout(timer);
    }
  };
  // One that is refused by its length has no turn to wait for; without any body, nothing is declared.
  if (length !== undefined && declared > limit) return read();
  const hasBody = length !== undefined || req.headers['transfer-encoding'] !== undefined;
  return hasBody ? receiveInTurn({ ip, declared, close }, read) : read();
}

/** Calls back when a response is over, however it ends. */
function onClose(res: ServerResponse, call: () => void): void {
  if (res.closed) call();
  else res.once('close', call);
}

/** Aborted when the client has gone, or has got its response. */
export function closing(res: ServerResponse): AbortSignal {
  const controller = new AbortController();
  onClose(res, () => controller.abort());
  return controller.signal;
}

export function fromNode(req: IncomingMessage, res: ServerResponse): HttpRequest {
  // Of all request headers Node makes a list only of Set-Cookie, which has no business there.
  const headers = req.headers as Record<string, string | undefined>;
  const ip = addressOf(req);
  return {
    method: req.method ?? 'GET',
    ...splitUrl(req.url ?? '/'),
    headers,
    ip,
    readBody: (limit) => readNodeBody(req, ip, limit),
    gone: () => closing(res),
  };
}

/** Unread bodies up to this size are read and dropped, so that the caller gets to read why they were refused. */
const drainLimit = 16 * bodyLimit;

/**
 * Reads what is left of a body, and keeps nothing of it; past the limit the connection is closed. Node would do so too, but with all
 * that arrives in a round.
 */
async function drain(req: IncomingMessage, limit = drainLimit): Promise<void> {
  let size = 0;
  for await (const chunk of chunksInTurn(req.iterator({ destroyOnReturn: false }), addressOf(req))) {
    size += chunk.byteLength;
    if (size > limit) req.destroy();
  }
}

/** Whether nothing reads the body of a request. A pipe that waits for where it goes to does. */
const isUnread = (req: IncomingMessage) => req.listenerCount('readable') + req.listenerCount('data') === 0;

/** Drops what has not arrived of a body when the response ends, unless something still reads it. */
export function dropUnread(req: IncomingMessage, res: ServerResponse): void {
  res.once('prefinish', () => {
    if (req.complete) return;
    if (isUnread(req)) drain(req).catch(() => undefined);
    lingerAfter(req);
  });
}

/**
 * Before a response that does not wait for the rest of the body: drops it, or has the connection closed after a large
 * one.
 */
export function dropBody(req: IncomingMessage, res: ServerResponse, limit = drainLimit): void {
  // The connection ends with the response to a body without a length.
  if (req.complete || req.headers['transfer-encoding'] !== undefined) return;
  if (Number(req.headers['content-length'] ?? 0) > limit) res.setHeader('Connection', 'close');
  // What fails is the connection, and the response with it.
  else drain(req, limit).catch(() => undefined);
}

/** One end of a channel whose other end is closed: what is moved into it is freed at once. */
const nowhere = (() => {
  const { port1, port2 } = new MessageChannel();
  port1.close();
  return port2;
})();

/**
 * Frees bytes without waiting for a garbage collection. Many large ones that wait for it have V8 begin one after another, each of
 * which stops the process for longer than all that is sent takes.
 */
function free({ buffer }: Uint8Array<ArrayBuffer>): void {
  nowhere.postMessage(null, [buffer]);
}

export function sendToNode(req: IncomingMessage, res: ServerResponse, response: SentResponse): void {
  dropBody(req, res);
  if (response.body === null) {
    res.writeHead(response.status, response.headers).end();
    return;
  }
  const length = Buffer.byteLength(response.body);
  response.headers['Content-Length'] = String(length);
  res.writeHead(response.status, response.headers);
  const { body, isOwnBody } = response;
  if (req.method === 'HEAD') res.end();
  else res.end(body);
  // The operating system has taken over all of it by then, or the connection is gone.
  if (isOwnBody && typeof body !== 'string') onClose(res, () => free(body));
}

/** Sends one line of text, for what is not part of the API. */
export function sendText(
  res: ServerResponse,
  status: number,
  message: string,
  headers: OutgoingHttpHeaders = {},
): void {
  const own = { 'Content-Type': 'text/plain', 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };
  res.writeHead(status, { ...own, ...headers }).end(`${message}\n`);
}

export function fromFetch(request: Request): HttpRequest {
  const headers: Record<string, string | undefined> = Object.fromEntries(request.headers);
  const url = new URL(request.url);
  return {
    method: request.method,
    path: url.pathname,
    query: url.search.slice(1),
    headers,
    ip: callerAddress(headers['x-forwarded-for'], undefined),
    readBody: async (limit) =>
      request.body
        ? readStream(request.body as unknown as AsyncIterable<Uint8Array>, headers['content-length'], limit)
        : Buffer.alloc(0),
    gone: () => request.signal,
  };
}

export function toFetch(method: string, response: SentResponse): Response {
  return new Response(method === 'HEAD' ? null : response.body, { status: response.status, headers: response.headers });
}
