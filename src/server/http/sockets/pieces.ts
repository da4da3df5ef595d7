import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { blockOf } from '@/domain/network/address-ranges';
import { env } from '@/env';
import { isNews } from '@/server/limits/news';
import { logger } from '@/server/logger';

/** Pieces of a chunked body: so many, and one more for so many bytes. Clients send some kilobytes in each. */
const freePieces = 256;
const bytesForPiece = 256;
/** A block of addresses that sent too many pieces so often within that time, in ms, has no connection for as long again. */
const maxOffences = 5;
const offenceMs = 10_000;

type Block = { sockets: Set<Socket>; offences: number; since: number; refusedUntil: number };

/**
 * Closes connections that send a body in more pieces than any client does. Node parses half a million in a second, as they
 * arrive, before anybody's turn and whether anybody reads them or not, and nothing else happens meanwhile.
 */
export function limitPieces(server: Server, now: () => number = () => performance.now()): void {
  const blocks = new Map<string, Block>();
  const nameOf = ({ remoteAddress }: Socket) => blockOf(remoteAddress ?? 'unknown');

  function noteOffence(socket: Socket): void {
    const name = nameOf(socket);
    socket.destroy();
    const block = blocks.get(name);
    // Behind a proxy, all connections are its own.
    if (!block || env.TRUSTED_PROXIES > 0) return;
    if (now() - block.since > offenceMs) Object.assign(block, { offences: 0, since: now() });
    block.offences += 1;
    if (block.offences < maxOffences) return;
    block.refusedUntil = now() + offenceMs;
    for (const each of block.sockets) each.destroy();
    if (isNews(`pieces ${name}`)) logger.warn({ block: name }, 'a block of addresses sends bodies in too many pieces');
  }

  server.on('connection', (socket: Socket) => {
    const name = nameOf(socket);
    const block = blocks.get(name) ?? { sockets: new Set(), offences: 0, since: now(), refusedUntil: 0 };
    if (now() < block.refusedUntil) return void socket.destroy();
    blocks.set(name, block);
    block.sockets.add(socket);
    socket.once('close', () => {
      block.sockets.delete(socket);
      const isOver = now() >= Math.max(block.refusedUntil, block.since + offenceMs);
      if (block.sockets.size === 0 && (isOver || block.offences === 0)) blocks.delete(name);
    });
  });
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
      if (!req.socket.destroyed) noteOffence(req.socket);
      return false;
    };
  });
}
