import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { turnOf } from '@/domain/network/address-ranges';
import { addressOf } from '@/server/http/caller-address';
import { abort, isAborted, overloaded } from '@/server/http/sockets/abort';
import { FairQueue } from '@/server/worker/fair-queue';

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

/** In how many packets a request may come before they take turns: these, and one for every so many bytes. Clients send larger ones. */
const freePackets = 4;
const bytesForPacket = 512;

/** Milliseconds for which a packet keeps its turn. */
const packetMs = 20;

/** What Node hides of a connection: a parser that reads from a handle by itself, and calls back after each time. */
type Connection = {
  parser?:
    | (Record<number, ((...args: unknown[]) => unknown) | undefined> & { constructor: { kOnExecute: number } })
    | null;
  _handle?: { reading: boolean; readStop: () => void; readStart: () => void } | null;
};

/** What has come of a request, or of a header that is not whole yet; `leave` takes it out of the line where it waits. */
type Arriving = { req?: IncomingMessage; isAnswered?: boolean; packets: number; bytes: number; leave?: () => void };

/**
 * Has connections that send a request in many small packets read when it is the turn of their network; what has come until then is
 * read at once. A packet takes the thread for 20 microseconds, whatever it has of a header or of a body, and costs its sender little.
 * No request waits for an earlier one of its connection, which behind a proxy is somebody else's.
 */
export function limitPackets(server: Server, turnMs = packetMs): void {
  const turns = new FairQueue({ running: [64, 16, 12], waiting: 65_536, waitingOfOwner: 16_384 });
  const arrivals = new WeakMap<Socket, Arriving>();

  async function readInTurn(socket: Socket, arriving: Arriving): Promise<void> {
    const { _handle: handle } = socket as Connection;
    if (!handle) return;
    // Behind proxies, only the header says whose it is.
    const address = arriving.req ? addressOf(arriving.req) : (socket.remoteAddress ?? 'unknown');
    const waiting = new AbortController();
    arriving.leave = () => waiting.abort();
    // Not the socket, which Node pauses and resumes for reasons of its own.
    handle.readStop();
    const read = async () => {
      if (socket.destroyed || isAborted(socket)) return false;
      if (handle.reading) handle.readStart();
      return true;
    };
    try {
      await turns.run({ ...turnOf(address), signal: waiting.signal }, read, async (begun) => {
        if (await begun) await pause(turnMs, undefined, { ref: false });
      });
    } catch (error) {
      if (!waiting.signal.aborted) throw error;
      await read();
    }
  }

  server.prependListener('request', (req: IncomingMessage, res: ServerResponse) => {
    const known = arrivals.get(req.socket);
    // The packets of its header count for whom that names.
    const arriving: Arriving = known && !known.req ? known : { packets: 0, bytes: 0 };
    arriving.req = req;
    arrivals.set(req.socket, arriving);
    res.once('close', () => {
      Object.assign(arriving, { isAnswered: true, packets: 0, bytes: 0 });
      // What has come meanwhile may be the rest of it, and behind that the next request.
      arriving.leave?.();
    });
  });
  server.on('connection', (socket: Socket) => {
    const { parser } = socket as Connection;
    const onRead = parser?.[parser.constructor.kOnExecute];
    if (!parser || !onRead) return;
    parser[parser.constructor.kOnExecute] = (size, ...more) => {
      onRead(size, ...more);
      if (socket.destroyed || isAborted(socket) || typeof size !== 'number') return;
      const arriving = arrivals.get(socket) ?? { packets: 0, bytes: 0 };
      if (arriving.req?.complete) {
        arrivals.delete(socket);
        return;
      }
      arrivals.set(socket, arriving);
      arriving.packets += 1;
      arriving.bytes += size;
      if (arriving.packets <= freePackets + arriving.bytes / bytesForPacket) return;
      // The next request may come at any time, and would be unread: whoever has the answer needs to send no more of a body.
      if (arriving.isAnswered) abort(socket);
      else readInTurn(socket, arriving).catch(() => abort(socket, overloaded));
    };
  });
}
