import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from '@/domain/network/address-ranges';
import { callerAddress } from '@/server/http/caller-address';
import { logger } from '@/server/logger';

const mib = 1024 * 1024;
const checkMs = 500;

export type SlowReaderLimits = {
  /** Bytes of responses that may wait for the connections of one network, and for all of them. */
  perNetwork: number;
  inAll: number;
  /** Milliseconds in which some of what waits has to be read. */
  stalledMs: number;
};

const defaultLimits: SlowReaderLimits = { perNetwork: 32 * mib, inAll: 256 * mib, stalledMs: 120_000 };

type Reader = {
  address: string;
  network: string;
  /** Bytes that it had read when it last read something, and when that was. */
  read: number;
  readAt: number;
};

/**
 * Closes connections whose clients do not read their responses, which would stay in memory as long as those clients like:
 * those that stand still, and the fullest of a network with too much unread, or of all when all together have. What the
 * operating system has taken over does not count, so a client that reads at an ordinary pace has nothing unread.
 * @returns what stops it
 */
export function limitSlowReaders(server: Server, limits: SlowReaderLimits = defaultLimits): () => void {
  const readers = new Map<Socket, Reader>();
  server.on('request', ({ headers, socket }: IncomingMessage) => {
    const address = callerAddress(headers['x-forwarded-for']?.toString(), socket.remoteAddress);
    const known = readers.get(socket);
    // Behind a proxy, the callers of one connection change.
    if (known?.address === address) return;
    const network = networkOf(address);
    if (known) Object.assign(known, { address, network });
    else {
      readers.set(socket, { address, network, read: 0, readAt: 0 });
      socket.once('close', () => readers.delete(socket));
    }
  });

  function standsStill(socket: Socket, reader: Reader, now: number): boolean {
    const read = socket.bytesWritten - socket.writableLength;
    if (socket.writableLength === 0 || read !== reader.read) Object.assign(reader, { read, readAt: now });
    return now - reader.readAt >= limits.stalledMs;
  }

  function closeFullest(sockets: Socket[], limit: number, network: string): void {
    let unread = sockets.reduce((sum, socket) => sum + socket.writableLength, 0);
    if (unread <= limit) return;
    logger.warn({ network, unread }, 'connections are closed because their clients do not read');
    for (const socket of sockets.sort((one, other) => other.writableLength - one.writableLength)) {
      if (unread <= limit) return;
      unread -= socket.writableLength;
      socket.destroy();
    }
  }

  const timer = setInterval(() => {
    const now = performance.now();
    const unread = new Map<string, Socket[]>();
    for (const [socket, reader] of readers) {
      if (standsStill(socket, reader, now)) socket.destroy();
      else if (socket.writableLength > 0) {
        unread.set(reader.network, [socket, ...(unread.get(reader.network) ?? [])]);
      }
    }
    for (const [network, sockets] of unread) closeFullest(sockets, limits.perNetwork, network);
    const rest = [...unread.values()].flat().filter((socket) => !socket.destroyed);
    closeFullest(rest, limits.inAll, 'all');
  }, checkMs);
  timer.unref();
  return () => clearInterval(timer);
}
