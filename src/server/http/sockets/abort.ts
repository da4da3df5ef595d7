import type { Socket } from 'node:net';
import { mayAnswer } from '@/server/worker/waiting';

/** Node's parser of a connection. It has a callback for the headers of each request and one for each piece of a body. */
type Parser = Record<number, unknown> & { constructor: { kOnHeadersComplete: number; kOnBody: number } };

/** Tells the parser that what follows is not HTTP, as it does not after `CONNECT`. */
const stopParsing = () => 2;

const aborted = new WeakSet<Socket>();

/** Whether a connection was closed for what it sent. */
export const isAborted = (socket: Socket): boolean => aborted.has(socket);

/** What a connection emits when it is closed for what it sent, which is some time before it is closed. */
export const abortedEvent = 'abortedForWhatItSent';

/**
 * Milliseconds for which a connection stays open behind its last answer: where something that it sent is unread, the operating system
 * resets it, and its client may never get to read the answer.
 */
const lingerMs = 500;

function linger(socket: Socket): void {
  const { _handle: handle } = socket as Socket & { _handle?: { readStop: () => void } | null };
  handle?.readStop();
  const timer = setTimeout(() => socket.destroy(), lingerMs).unref();
  socket.once('close', () => clearTimeout(timer));
}

/** A whole response, for what never gets to a handler. */
function refusalText(status: string, reason: string): string {
  const length = Buffer.byteLength(reason) + 1;
  return `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: ${length}\r\n\r\n${reason}\n`;
}

const refused = refusalText('400 Bad Request', 'The request came in too many pieces, or too many came at once.');
/** For a body that takes too long to arrive, and for what has waited or taken so long that others have its place. */
export const lateBody = refusalText('408 Request Timeout', 'The body did not arrive in time.');
export const overloaded = refusalText('503 Service Unavailable', 'Too many requests are waiting.');

/**
 * Closes a connection, behind a response unless another one is on its way: proxies take a server that closes it without for one that is
 * down. Has nothing more parsed of what it has sent. Once a socket is destroyed, Node still parses the rest of what
 * was read at once: 64 KiB are thousands of requests or pieces of a body, which take the thread for a tenth of a second.
 */
export function abort(socket: Socket, response = refused): void {
  if (isAborted(socket)) return;
  aborted.add(socket);
  socket.emit(abortedEvent);
  const { parser } = socket as Socket & { parser?: Parser | null };
  if (parser) {
    const { kOnHeadersComplete, kOnBody } = parser.constructor;
    const { [kOnHeadersComplete]: onHeadersComplete, [kOnBody]: onBody } = parser;
    Object.assign(parser, { [kOnHeadersComplete]: stopParsing, [kOnBody]: undefined });
    // Before Node keeps the parser for another connection.
    socket.prependOnceListener('close', () =>
      Object.assign(parser, { [kOnHeadersComplete]: onHeadersComplete, [kOnBody]: onBody }),
    );
  }
  // After the last response, what was awaited is the rest of a body.
  if (!socket.writableEnded) {
    if (!mayAnswer(socket)) return void socket.destroy();
    socket.end(response);
  }
  linger(socket);
}

const brokenRequests: Record<string, string> = {
  HPE_HEADER_OVERFLOW: refusalText('431 Request Header Fields Too Large', 'The headers are too large.'),
  ERR_HTTP_REQUEST_TIMEOUT: refusalText('408 Request Timeout', 'The request took too long to arrive.'),
};
const notHttp = refusalText('400 Bad Request', 'The request is not valid HTTP.');

/**
 * Input that is not HTTP, whose headers are too large, or that takes too long never becomes a request; the client gets the reason and
 * is cut off.
 */
export function refuseBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) socket.destroy();
  else abort(socket, brokenRequests[error.code ?? ''] ?? notHttp);
}
