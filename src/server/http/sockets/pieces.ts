import type { IncomingMessage, Server } from 'node:http';
import type { Refusals } from '@/server/http/sockets/refusals';

/** How many pieces a chunked body may have: these, and one for every so many bytes. Clients send kilobytes in each. */
const freePieces = 256;
const bytesForPiece = 256;
/** The time it takes to parse a piece, as a part of that of a request. */
const requestsForPiece = 0.1;

/**
 * Closes connections that send a body in more pieces than any client does. Node parses half a million a second as they arrive,
 * even if nothing reads the body.
 */
export function limitPieces(server: Server, refusals: Pick<Refusals, 'close'>): void {
  server.prependListener('request', (req: IncomingMessage) => {
    if (req.headers['transfer-encoding'] === undefined) return;
    let pieces = 0;
    let bytes = 0;
    const { push } = req;
    // The parser calls this for each piece, after it has emitted the request.
    req.push = (piece: Buffer | null, encoding) => {
      if (piece === null) return push.call(req, piece, encoding);
      pieces += 1;
      bytes += piece.byteLength;
      if (pieces <= freePieces + bytes / bytesForPiece) return push.call(req, piece, encoding);
      refusals.close(req.socket, requestsForPiece);
      return false;
    };
  });
}
