import diagnostics from 'node:diagnostics_channel';
import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import type { Agent } from 'undici';
import {
  arrivedOn,
  BlockedAddressError,
  type ConnectTimings,
  countResponse,
  endHead,
  endResponse,
  originFor,
  peerOf,
  rounded,
  takeBegunConnection,
  takeConnectTimings,
  takeHeldUpMs,
} from '@/server/delivery/outbound/agent';
import { TooManyBytesError, tlsMs } from '@/server/delivery/outbound/handshake';
import { OwnResolverError } from '@/server/delivery/outbound/resolve';

/** Bytes of a response that are read and stored. */
export const maxResponseBytes = 16_384;
/** Pieces of a body that are read: each chunk of one byte costs as much as one of a thousand. */
export const maxPieces = 250;
/** Responses with a status below 200 that may come before the response. */
const maxInterim = 3;
/** Values of headers that are kept, and always the one that the next attempt depends on. */
export const maxHeaders = 100;
/**
 * Values of headers, those of interim responses and trailers included, past which a response is an odd one, and bytes around
 * its body: 2,000 values take 2 milliseconds, whether or not the head ever ends.
 */
const many = { headers: 250, bytesAround: 8 * 1024 };
/**
 * An odd response, of many headers, pieces or interim responses, counts like a handshake that is not an ordinary one, and the
 * more headers the longer: one may have 16,000 of one letter.
 */
const odd = { ms: 5, headersInMs: 400, bytesInMs: 1_600 };

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
  | 'blocked_address'
  | 'cancelled';

export type RequestResult = {
  /** A 2xx response, read in time to its end or to the limit. */
  succeeded: boolean;
  status: number | null;
  headers: Record<string, string | string[]> | null;
  /** At most `maxResponseBytes`, as text. */
  body: string | null;
  truncated: boolean;
  peerAddress: string | null;
  /** From the start, name resolution included, to the last byte read. */
  durationMs: number;
  timings: Timings;
  errorClass: ErrorClass | null;
  /** One sentence for the owner of the webhook. */
  errorMessage: string | null;
  /** A failure on our side, which counts neither against the receiver nor for its breaker. */
  blameless: boolean;
  /** How long TLS, most of all the handshake of a new connection, or an odd response has held this process up. */
  heldUpMs: number;
  /** Whether it was an odd response, which no busy machine explains. */
  isOdd: boolean;
};

/**
 * Milliseconds of each part of an attempt, in order; null for a part that was not necessary, as with a reused
 * connection.
 */
export type Timings = ConnectTimings & {
  /** From the start of the request to the head of the response. */
  firstByteMs: number | null;
  totalMs: number;
};

export type OutgoingRequest = {
  url: string;
  method: 'POST' | 'GET';
  headers: Record<string, string>;
  body: string | Buffer | null;
  /** Milliseconds for everything, name resolution included. */
  timeoutMs: number;
};

const reused: ConnectTimings = { dnsMs: null, connectMs: null, tlsMs: null };

type SendHeaders = { request: object; socket: Socket };

/** What the connection of a request reports. */
type ConnectionInfo = {
  peerAddress: string | null;
  timings: ConnectTimings | null;
  /** Takes how long TLS has held the process up for this request, in milliseconds. */
  takeHeldUpMs: () => number;
  /** The connection that the request was sent on. */
  socket: Socket | null;
};

/** That of the request being created at this moment. Creating one is synchronous, and undici reports it by an event. */
let creating: ConnectionInfo | null = null;
const infoOf = new WeakMap<object, ConnectionInfo>();

diagnostics.subscribe('undici:request:create', (message) => {
  if (creating) infoOf.set((message as SendHeaders).request, creating);
});

diagnostics.subscribe('undici:client:sendHeaders', (message) => {
  const { request, socket } = message as SendHeaders;
  countResponse(socket);
  const info = infoOf.get(request);
  if (!info) return;
  infoOf.delete(request);
  info.socket = socket;
  info.peerAddress = peerOf(socket);
  info.timings = takeConnectTimings(socket);
  info.takeHeldUpMs = () => takeHeldUpMs(socket);
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

function isOurs(error: unknown): boolean {
  if (error instanceof OwnResolverError) return true;
  return error instanceof Error && error.cause !== undefined && isOurs(error.cause);
}

type Problem = { errorClass: ErrorClass | null; errorMessage: string | null; blameless?: boolean };

/** What is said of failures that are no fault of a receiver. Attempts are stored with it, and it tells them apart. */
export const blamelessMessages = {
  cancelled: 'The webhook was disabled, or got another URL, before the server responded.',
  ownResolver: 'The name servers of this instance did not answer. This does not count against the webhook.',
};

const cancelled: Problem = {
  errorClass: 'cancelled',
  errorMessage: blamelessMessages.cancelled,
  blameless: true,
};

/** The class of an error and a sentence about it. @param sent whether a connection was made */
function classify(error: unknown, sent: boolean, secure: boolean): Problem {
  if (isOurs(error)) {
    return { errorClass: 'dns_error', errorMessage: blamelessMessages.ownResolver, blameless: true };
  }
  const blocked = blockedIn(error);
  if (blocked) return { errorClass: 'blocked_address', errorMessage: `${blocked.address} is not a public address.` };
  if (error instanceof TooManyBytesError) {
    if (sent) return { errorClass: 'invalid_response', errorMessage: 'The server sent far more than a response.' };
    return {
      errorClass: 'tls_error',
      errorMessage: 'The server sent far more than a TLS handshake with certificates.',
    };
  }
  const code = codeOf(error);
  const failure = (errorClass: ErrorClass, sentence: string) => ({
    errorClass,
    errorMessage: code ? `${sentence} (${code})` : sentence,
  });
  if (/^(ENOTFOUND|EAI_|ENODATA|ESERVFAIL|EREFUSED)/.test(code)) {
    return failure('dns_error', 'The host name could not be resolved.');
  }
  if (refusedCodes.has(code)) return failure('connect_refused', 'The server refused the connection.');
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') {
    return failure('connect_timeout', 'The connection to the server timed out.');
  }
  if (resetCodes.has(code)) return failure('reset', 'The server closed the connection before it responded.');
  if (!sent && secure) return failure('tls_error', 'The TLS handshake with the server failed.');
  if ((error instanceof Error && error.name === 'HTTPParserError') || code.startsWith('UND_ERR_')) {
    return failure('invalid_response', 'The response was not valid HTTP.');
  }
  return failure('reset', 'The connection to the server was lost.');
}

function statusProblem(status: number, headers: IncomingHttpHeaders) {
  if (status >= 200 && status < 300) return { errorClass: null, errorMessage: null };
  if (status < 400) {
    // A header that comes twice is a list.
    const [location] = [headers.location].flat();
    const target = location ? ` to ${location.slice(0, 300)}` : '';
    return { errorClass: 'http_3xx', errorMessage: `Redirects are not followed (${status}${target}).` } as const;
  }
  return status < 500
    ? ({ errorClass: 'http_4xx', errorMessage: `The server responded with ${status}.` } as const)
    : ({ errorClass: 'http_5xx', errorMessage: `The server responded with ${status}.` } as const);
}

/** Names that would change the prototype of an object that is made from the headers. */
const unsafeNames = new Set(['constructor', 'prototype', '__proto__']);

function plainHeaders(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const plain: Record<string, string | string[]> = {};
  let left = maxHeaders;
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined || unsafeNames.has(name) || (left <= 0 && name !== 'retry-after')) continue;
    plain[name] = Array.isArray(value) ? value.slice(0, Math.max(left, 1)) : value;
    left -= Array.isArray(value) ? value.length : 1;
  }
  return plain;
}

function countHeaders(headers: IncomingHttpHeaders): number {
  let count = 0;
  for (const name in headers) count += Array.isArray(headers[name]) ? headers[name].length : 1;
  return count;
}

/** The text of a response; PostgreSQL cannot store NUL. */
const asText = (chunks: Buffer[]) => Buffer.concat(chunks).toString('utf8').replaceAll('\0', '\uFFFD');

/**
 * Sends one request through a guarded agent. Does not follow redirects or decompress the response. The time limit covers
 * everything from name resolution to the last byte read. Never throws: the result contains the error.
 * @param projectId on whose behalf it is sent; undefined: the operator's
 * @param cancel ends it when the webhook is not to be sent like this any more
 */
export function sendRequest(
  agent: Agent,
  request: OutgoingRequest,
  projectId?: string,
  cancel?: AbortSignal,
): Promise<RequestResult> {
  const url = new URL(request.url);
  const { method, headers, body } = request;
  const started = performance.now();
  let connecting: Socket | null = null;
  const info: ConnectionInfo = {
    peerAddress: null,
    timings: null,
    socket: null,
    takeHeldUpMs: () => (connecting ? tlsMs(connecting) : 0),
  };

  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let pieces = 0;
    let interim = 0;
    let headerCount = 0;
    let sentAt: number | null = null;
    let firstByteMs: number | null = null;
    let settled = false;
    let response: { status: number; headers: IncomingHttpHeaders } | null = null;
    let abort: (() => void) | null = null;

    function settle(problem: Problem, truncated = false) {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      const tookMs = performance.now() - started;
      const { dnsMs, connectMs, tlsMs } = info.timings ?? reused;
      // Of a body that is cut, more has arrived than was read.
      const around = info.socket && !truncated ? arrivedOn(info.socket) - size : 0;
      const isOdd =
        pieces > maxPieces || interim > maxInterim || headerCount > many.headers || around > many.bytesAround;
      resolve({
        succeeded: problem.errorClass === null,
        status: response?.status ?? null,
        headers: response ? plainHeaders(response.headers) : null,
        body: response ? asText(chunks) : null,
        truncated,
        peerAddress: info.peerAddress,
        durationMs: Math.round(tookMs),
        timings: { dnsMs, connectMs, tlsMs, firstByteMs, totalMs: rounded(tookMs) },
        errorClass: problem.errorClass,
        errorMessage: problem.errorMessage,
        blameless: problem.blameless === true,
        heldUpMs:
          info.takeHeldUpMs() + (isOdd ? Math.max(odd.ms, headerCount / odd.headersInMs, around / odd.bytesInMs) : 0),
        isOdd,
      });
    }

    const timer = setTimeout(() => {
      if (sentAt !== null)
        settle({ errorClass: 'timeout', errorMessage: `No complete response within ${request.timeoutMs} ms.` });
      else settle({ errorClass: 'connect_timeout', errorMessage: `No connection within ${request.timeoutMs} ms.` });
      disconnect();
    }, request.timeoutMs);

    function disconnect() {
      if (abort) abort();
      else connecting?.destroy(new Error('The attempt has ended'));
    }

    cancel?.addEventListener('abort', () => {
      settle(cancelled);
      disconnect();
    });

    function complete(truncated: boolean) {
      if (response) settle(statusProblem(response.status, response.headers), truncated);
    }

    creating = info;
    takeBegunConnection();
    agent.dispatch(
      { origin: originFor(url, projectId), path: url.pathname + url.search, method, headers, body },
      {
        onRequestStart(controller) {
          sentAt = performance.now();
          abort = () => controller.abort(new Error('The attempt has ended'));
          // The time limit passed while connecting: nothing may be sent.
          if (settled) abort();
        },
        onResponseStart(_controller, status, headers) {
          headerCount += countHeaders(headers);
          firstByteMs ??= rounded(performance.now() - (sentAt ?? started));
          if (status >= 200) {
            response = { status, headers };
            if (info.socket) endHead(info.socket);
          } else if (++interim > maxInterim) {
            settle(classify(new TooManyBytesError(), true, false));
            abort?.();
          }
        },
        onResponseData(_controller, chunk) {
          if (settled) return;
          chunks.push(chunk.subarray(0, maxResponseBytes - size));
          size += chunk.byteLength;
          pieces += 1;
          if (size <= maxResponseBytes && pieces <= maxPieces) return;
          complete(true);
          abort?.();
        },
        onResponseEnd(_controller, trailers) {
          headerCount += countHeaders(trailers);
          complete(false);
          if (info.socket) endResponse(info.socket);
        },
        onResponseError: (_controller, error) => settle(classify(error, sentAt !== null, url.protocol === 'https:')),
      },
    );
    creating = null;
    connecting = takeBegunConnection();
  });
}

/** Sends a POST as `sendRequest` does. The fields are named, since a request may be made when they are read, and has others. */
export const post = (
  agent: Agent,
  { url, headers, body, timeoutMs }: Omit<OutgoingRequest, 'method'>,
  projectId?: string,
  cancel?: AbortSignal,
) => sendRequest(agent, { url, method: 'POST', headers, body, timeoutMs }, projectId, cancel);
