import type { Socket } from 'node:net';

/** Node's parser of a connection. It has a callback for the headers of each request and one for each piece of a body. */
type Parser = Record<number, unknown> & { constructor: { kOnHeadersComplete: number; kOnBody: number } };

/** Tells the parser that what follows is not HTTP, as it does not after `CONNECT`. */
const stopParsing = () => 2;

const aborted = new WeakSet<Socket>();

/** Whether a connection was closed for what it sent. */
export const isAborted = (socket: Socket): boolean => aborted.has(socket);

/**
 * Closes a connection, and has nothing more parsed of what it has sent. Once a socket is destroyed, Node still parses the rest of what
 * was read at once: 64 KiB are thousands of requests or pieces of a body, which take the thread for a tenth of a second.
 */
export function abort(socket: Socket): void {
  aborted.add(socket);
  const { parser } = socket as Socket & { parser?: Parser | null };
  if (parser) {
    const { kOnHeadersComplete, kOnBody } = parser.constructor;
    const { [kOnHeadersComplete]: onHeadersComplete, [kOnBody]: onBody } = parser;
    // It has been stopped before, and gets its own callbacks back when the connection is closed.
    if (onHeadersComplete === stopParsing) return;
    Object.assign(parser, { [kOnHeadersComplete]: stopParsing, [kOnBody]: undefined });
    // Before Node keeps the parser for another connection.
    socket.prependOnceListener('close', () =>
      Object.assign(parser, { [kOnHeadersComplete]: onHeadersComplete, [kOnBody]: onBody }),
    );
  }
  socket.destroy();
}
