import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { abort } from '@/server/http/sockets/abort';

/** How many pieces chunked bodies may have: these, and one for every so many bytes. Clients send kilobytes in each. */
const freePieces = 256;
const bytesForPiece = 256;

/**
 * Closes connections that send a body in more pieces than any client does. Node parses half a million a second as they arrive,
 * even if nothing reads the body.
 */
export function limitPieces(server: Server): void {
  /** What has come on a connection since its last response: bodies that are sent ahead are parsed before the first has one. */
  const counts = new WeakMap<Socket, { pieces: number; bytes: number }>();
  server.prependListener('request', (req: IncomingMessage, res: ServerResponse) => {
    if (req.headers['transfer-encoding'] === undefined) return;
    const count = counts.get(req.socket) ?? { pieces: 0, bytes: 0 };
    counts.set(req.socket, count);
    res.once('close', () => counts.delete(req.socket));
    const { push } = req;
    // The parser calls this for each piece, after it has emitted the request.
    req.push = (piece: Buffer | null, encoding) => {
      if (piece === null) return push.call(req, piece, encoding);
      count.pieces += 1;
      count.bytes += piece.byteLength;
      if (count.pieces <= freePieces + count.bytes / bytesForPiece) return push.call(req, piece, encoding);
      abort(req.socket);
      return false;
    };
  });
}
