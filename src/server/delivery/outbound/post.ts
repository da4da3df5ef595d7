import diagnostics from 'node:diagnostics_channel';
import type { IncomingHttpHeaders } from 'node:http';
import type { Agent } from 'undici';
import {
  BlockedAddressError,
  type ConnectTimings,
  rounded,
  takeConnectTimings,
} from '@/server/delivery/outbound/agent';

/** Bytes of an answer that are read and kept. */
export const maxResponseBytes = 16_384;

export type ErrorClass =
  | 'dns_error'
  | 'connect_refused'
  | 'connect_timeout'
  | 'tls_error'
  | 'reset'
  | 'timeout'
  | 'invalid_response'
  | 'http_3xx'
  | 'http_4xx'
  | 'http_5xx'
  | 'blocked_address';

export type RequestResult = {
  /** A 2xx answer, read to its end or to the limit, in time. */
  succeeded: boolean;
  status: number | null;
  headers: Record<string, string | string[]> | null;
  /** At most `answerLimit` bytes, as text. */
  body: string | null;
  truncated: boolean;
  peerAddress: string | null;
  /** From the start, name resolution included, to the last byte read. */
  durationMs: number;
  timings: Timings;
  errorClass: ErrorClass | null;
  /** One sentence for the owner of the receiver. */
  errorMessage: string | null;
};

/** Milliseconds of each part of an attempt, in their order; null: that did not take place. A kept connection has no first three. */
export type Timings = ConnectTimings & {
  /** From the request on its way to the head of the answer. */
  firstByteMs: number | null;
  totalMs: number;
};

export type OutgoingRequest = {
  url: string;
  method: 'POST' | 'GET';
  headers: Record<string, string>;
  /** Null: none. */
  body: Buffer | null;
  /** Milliseconds for everything. */
  timeoutMs: number;
};

type SendHeaders = { request: object; socket: { remoteAddress?: string } };

/** What a connection tells of the request that goes over it. */
type Noted = { peerAddress: string | null; timings: ConnectTimings | null };

/** The request that is being made at this moment; making one is synchronous. */
let making: Noted | null = null;
const underWay = new WeakMap<object, Noted>();

diagnostics.subscribe('undici:request:create', (message) => {
  if (making) underWay.set((message as SendHeaders).request, making);
});

diagnostics.subscribe('undici:client:sendHeaders', (message) => {
  const { request, socket } = message as SendHeaders;
  const noted = underWay.get(request);
  if (!noted) return;
  noted.peerAddress = socket.remoteAddress ?? null;
  noted.timings = takeConnectTimings(socket);
});

const refusedCodes = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'EACCES']);
const resetCodes = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'ECONNABORTED']);

function codeOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

function blockedIn(error: unknown): BlockedAddressError | null {
  if (error instanceof BlockedAddressError) return error;
  return error instanceof Error && error.cause ? blockedIn(error.cause) : null;
}

/** What went wrong, in a class and a sentence. `sent` tells whether a connection stood. */
function classify(error: unknown, sent: boolean, secure: boolean): { errorClass: ErrorClass; errorMessage: string } {
  const blocked = blockedIn(error);
  if (blocked) return { errorClass: 'blocked_address', errorMessage: `${blocked.address} is not a public address.` };
  const code = codeOf(error);
  const told = (errorClass: ErrorClass, sentence: string) => ({
    errorClass,
    errorMessage: code ? `${sentence} (${code})` : sentence,
  });
  if (/^(ENOTFOUND|EAI_|ENODATA|ESERVFAIL|EREFUSED)/.test(code)) {
    return told('dns_error', 'The name of the receiver could not be resolved.');
  }
  if (refusedCodes.has(code)) return told('connect_refused', 'The receiver refused the connection.');
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') {
    return told('connect_timeout', 'No connection to the receiver came about in time.');
  }
  if (resetCodes.has(code)) return told('reset', 'The receiver closed the connection before it answered.');
  if (!sent && secure) return told('tls_error', 'The TLS handshake with the receiver failed.');
  if ((error instanceof Error && error.name === 'HTTPParserError') || code.startsWith('UND_ERR_')) {
    return told('invalid_response', 'The answer was not valid HTTP.');
  }
  return told('reset', 'The connection to the receiver broke.');
}

function statusProblem(status: number, headers: IncomingHttpHeaders) {
  if (status >= 200 && status < 300) return { errorClass: null, errorMessage: null };
  if (status < 400) {
    const target = headers.location ? ` to ${headers.location.slice(0, 300)}` : '';
    return { errorClass: 'http_3xx', errorMessage: `Redirects are not followed (${status}${target}).` } as const;
  }
  return status < 500
    ? ({ errorClass: 'http_4xx', errorMessage: `The receiver answered ${status}.` } as const)
    : ({ errorClass: 'http_5xx', errorMessage: `The receiver answered ${status}.` } as const);
}

const unsendable = new Set(['constructor', 'prototype', '__proto__']);

function plainHeaders(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const plain: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    // Pages refuse to be sent an object that has such a field.
    if (value !== undefined && !unsendable.has(name)) plain[name] = value;
  }
  return plain;
}

/** PostgreSQL stores no NUL. */
const asText = (chunks: Buffer[]) => Buffer.concat(chunks).toString('utf8').replaceAll('\0', '\uFFFD');

/**
 * Sends one request through a guarded agent. Redirects are not followed, nothing is inflated, and the time limit covers
 * everything from name resolution to the last byte that is read. Never throws: what went wrong is in the result.
 */
export function sendRequest(agent: Agent, request: OutgoingRequest): Promise<RequestResult> {
  const url = new URL(request.url);
  const { method, body } = request;
  const started = performance.now();
  const noted: Noted = { peerAddress: null, timings: null };

  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let sentAt: number | null = null;
    let firstByteMs: number | null = null;
    let over = false;
    let response: { status: number; headers: IncomingHttpHeaders } | null = null;
    let abort: (() => void) | null = null;

    function end(problem: Pick<RequestResult, 'errorClass' | 'errorMessage'>, truncated = false) {
      if (over) return;
      over = true;
      clearTimeout(timer);
      const tookMs = performance.now() - started;
      resolve({
        succeeded: problem.errorClass === null,
        status: response?.status ?? null,
        headers: response ? plainHeaders(response.headers) : null,
        body: response ? asText(chunks) : null,
        truncated,
        peerAddress: noted.peerAddress,
        durationMs: Math.round(tookMs),
        timings: {
          ...(noted.timings ?? { dnsMs: null, connectMs: null, tlsMs: null }),
          firstByteMs,
          totalMs: rounded(tookMs),
        },
        ...problem,
      });
    }

    const timer = setTimeout(() => {
      if (sentAt !== null)
        end({ errorClass: 'timeout', errorMessage: `No complete answer within ${request.timeoutMs} ms.` });
      else end({ errorClass: 'connect_timeout', errorMessage: `No connection within ${request.timeoutMs} ms.` });
      abort?.();
    }, request.timeoutMs);

    function complete(truncated: boolean) {
      if (response) end(statusProblem(response.status, response.headers), truncated);
    }

    const length = body ? { 'content-length': String(body.byteLength) } : {};
    const headers = { ...request.headers, ...length };
    making = noted;
    agent.dispatch(
      { origin: url.origin, path: url.pathname + url.search, method, headers, body },
      {
        onRequestStart(controller) {
          sentAt = performance.now();
          abort = () => controller.abort(new Error('over'));
          // The time was up while the connection was being made: nothing may be sent any more.
          if (over) abort();
        },
        onResponseStart(_controller, status, headers) {
          firstByteMs ??= rounded(performance.now() - (sentAt ?? started));
          if (status >= 200) response = { status, headers };
        },
        onResponseData(_controller, chunk) {
          if (over) return;
          chunks.push(chunk.subarray(0, maxResponseBytes - size));
          size += chunk.byteLength;
          if (size <= maxResponseBytes) return;
          complete(true);
          abort?.();
        },
        onResponseEnd: () => complete(false),
        onResponseError: (_controller, error) => end(classify(error, sentAt !== null, url.protocol === 'https:')),
      },
    );
    making = null;
  });
}

/** As `send`, a POST. */
export const post = (agent: Agent, request: Omit<OutgoingRequest, 'method'>) =>
  sendRequest(agent, { ...request, method: 'POST' });
