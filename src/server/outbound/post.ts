import diagnostics from 'node:diagnostics_channel';
import type { IncomingHttpHeaders } from 'node:http';
import type { Agent } from 'undici';
import { BlockedAddressError } from '@/server/outbound/agent';

/** Bytes of an answer that are read and kept. */
export const answerLimit = 16_384;

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

export type PostResult = {
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
  errorClass: ErrorClass | null;
  /** One sentence for the owner of the receiver. */
  errorMessage: string | null;
};

export type PostRequest = {
  url: string;
  headers: Record<string, string>;
  body: Buffer;
  /** Milliseconds for everything. */
  timeoutMs: number;
};

type SendHeaders = { request: { headers: unknown }; socket: { remoteAddress?: string } };

/** Requests under way by their mark, so that the address that a connection reached can be noted. */
const underWay = new Map<string, { peerAddress: string | null }>();
/** Names a request of ours among all that this process sends; its value is unique. */
const mark = 'x-webhook-id';

diagnostics.subscribe('undici:client:sendHeaders', (message) => {
  const { request, socket } = message as SendHeaders;
  if (!Array.isArray(request.headers)) return;
  const at = request.headers.indexOf(mark);
  const result = at < 0 ? undefined : underWay.get(String(request.headers[at + 1]));
  if (result) result.peerAddress = socket.remoteAddress ?? null;
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
  if (code.startsWith('HPE_') || code.startsWith('UND_ERR_')) {
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

function plainHeaders(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const plain: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) plain[name] = value;
  return plain;
}

/** PostgreSQL stores no NUL. */
const asText = (chunks: Buffer[]) => Buffer.concat(chunks).toString('utf8').replaceAll('\0', '\uFFFD');

/**
 * Sends one POST through a guarded agent. Redirects are not followed, nothing is inflated, and the time limit covers
 * everything from name resolution to the last byte that is read. Never throws: what went wrong is in the result.
 * The headers must hold a unique `x-webhook-id`.
 */
export function post(agent: Agent, request: PostRequest): Promise<PostResult> {
  const url = new URL(request.url);
  const started = performance.now();
  const id = request.headers[mark] ?? '';
  const noted = { peerAddress: null as string | null };
  underWay.set(id, noted);

  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let sent = false;
    let over = false;
    let response: { status: number; headers: IncomingHttpHeaders } | null = null;
    let abort: (() => void) | null = null;

    function end(problem: Pick<PostResult, 'errorClass' | 'errorMessage'>, truncated = false) {
      if (over) return;
      over = true;
      clearTimeout(timer);
      underWay.delete(id);
      resolve({
        succeeded: problem.errorClass === null,
        status: response?.status ?? null,
        headers: response ? plainHeaders(response.headers) : null,
        body: response ? asText(chunks) : null,
        truncated,
        peerAddress: noted.peerAddress,
        durationMs: Math.round(performance.now() - started),
        ...problem,
      });
    }

    const timer = setTimeout(() => {
      if (sent) end({ errorClass: 'timeout', errorMessage: `No complete answer within ${request.timeoutMs} ms.` });
      else end({ errorClass: 'connect_timeout', errorMessage: `No connection within ${request.timeoutMs} ms.` });
      abort?.();
    }, request.timeoutMs);

    function complete(truncated: boolean) {
      if (response) end(statusProblem(response.status, response.headers), truncated);
    }

    agent.dispatch(
      {
        origin: url.origin,
        path: url.pathname + url.search,
        method: 'POST',
        headers: { ...request.headers, 'content-length': String(request.body.byteLength) },
        body: request.body,
      },
      {
        onRequestStart(controller) {
          sent = true;
          abort = () => controller.abort(new Error('over'));
          // The time was up while the connection was being made: nothing may be sent any more.
          if (over) abort();
        },
        onResponseStart(_controller, status, headers) {
          if (status >= 200) response = { status, headers };
        },
        onResponseData(_controller, chunk) {
          if (over) return;
          chunks.push(chunk.subarray(0, answerLimit - size));
          size += chunk.byteLength;
          if (size <= answerLimit) return;
          complete(true);
          abort?.();
        },
        onResponseEnd: () => complete(false),
        onResponseError: (_controller, error) => end(classify(error, sent, url.protocol === 'https:')),
      },
    );
  });
}
