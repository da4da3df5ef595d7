import type { IncomingMessage, Server } from 'node:http';
import type { Offences } from '@/server/http/sockets/offences';

/** Pieces of a chunked body: so many, and one more for so many bytes. Clients send some kilobytes in each. */
const freePieces = 256;
const bytesForPiece = 256;

/**
 * Closes connections that send a body in more pieces than any client does. Node parses half a million in a second, as they
 * arrive, and whether anybody reads them or not.
 */
export function limitPieces(server: Server, offences: Offences): void {
  server.prependListener('request', (req: IncomingMessage) => {
    if (req.headers['transfer-encoding'] === undefined) return;
    let pieces = 0;
    let bytes = 0;
    const { push } = req;
    // The parser passes each piece on by this, right after the headers that have brought us here.
    req.push = (piece: Buffer | null, encoding) => {
      if (piece === null) return push.call(req, piece, encoding);
      pieces += 1;
      bytes += piece.byteLength;
      if (pieces <= freePieces + bytes / bytesForPiece) return push.call(req, piece, encoding);
      offences.note(req.socket);
      return false;
    };
  });
}
