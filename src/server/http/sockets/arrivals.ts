import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { blockOf } from '@/domain/network/address-ranges';
import { env } from '@/env';
import { abortedEvent, isAborted } from '@/server/http/sockets/abort';
import { isCutShort } from '@/server/http/sockets/connections';
import { isNews } from '@/server/limits/news';
import { logger } from '@/server/logger';

/**
 * As how many a connection counts that is closed for what it sends, or by its client before an answer has begun, in a body or in a
 * file: what was done for it takes that much longer, and no turn counts all of it.
 */
const wastedCountsAs = 10;

/**
 * Closes connections before anything that listens for them so far has to do with them, which takes ten times as long: those that
 * their clients ended before they were accepted, and those of a block of addresses past so many in a second. Where several
 * thousand come in a second, the line of the operating system is full, and those of others wait for seconds. Behind proxies all
 * come from them, and they have such limits of their own.
 */
export function limitArrivals(server: Server, mostInSecond = 1_500): void {
  const listeners = server.listeners('connection');
  /** In the current second, by block. */
  const arrived = new Map<string, number>();
  let until = 0;

  /** @returns whether the block has had too many in this second */
  function count(block: string, connections: number): boolean {
    const now = performance.now();
    if (now > until) {
      arrived.clear();
      until = now + 1_000;
    }
    const counted = (arrived.get(block) ?? 0) + connections;
    arrived.set(block, counted);
    return counted > mostInSecond;
  }

  function isOneTooMany(socket: Socket, address: string): boolean {
    if (env.TRUSTED_PROXIES > 0) return false;
    const block = blockOf(address);
    if (!count(block, 1)) {
      const countWaste = () => void count(block, wastedCountsAs - 1);
      socket.once(abortedEvent, countWaste);
      socket.once('close', () => !isAborted(socket) && isCutShort(socket) && countWaste());
      return false;
    }
    if (isNews(`arrivals ${block}`))
      logger.warn({ block }, 'a block of addresses opens too many connections in a second');
    return true;
  }

  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    // The operating system knows no address of one that is over.
    if (socket.remoteAddress === undefined) socket.destroy();
    else if (isOneTooMany(socket, socket.remoteAddress)) socket.resetAndDestroy();
    else for (const listener of listeners) listener.call(server, socket);
  });
}
