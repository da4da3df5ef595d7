import type { IncomingMessage, Server } from 'node:http';
import { abort } from '@/server/http/sockets/abort';

/** How many pieces a chunked body may have: these, and one for every so many bytes. Clients send kilobytes in each. */
const freePieces = 256;
const bytesForPiece = 256;

/**
 * Closes connections that send a body in more pieces than any client does. Node parses half a million a second as they arrive,
 * even if nothing reads the body.
 */
export function limitPieces(server: Server): void {
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
      abort(req.socket);
      return false;
    };
  });
}
