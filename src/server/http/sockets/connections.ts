import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { blockOf } from '@/domain/network/address-ranges';
import { env } from '@/env';
import { isNews } from '@/server/limits/news';
import { logger } from '@/server/logger';

/**
 * Requests of a connection that may wait for the responses to earlier ones. Browsers and proxies send none ahead, load
 * generators a few.
 */
const maxSentAhead = 32;

/**
 * Answers the requests of a connection one after the other. Node would begin all that arrive in one piece, thousands of
 * them, keep their responses until the first has been read, and tell nobody when the connection is gone before that.
 */
export function oneAtATime(handle: (req: IncomingMessage, res: ServerResponse) => void): RequestListener {
  const waiting = new WeakMap<Socket, (() => void)[]>();
  return (req, res) => {
    const { socket } = req;
    const queue = waiting.get(socket) ?? [];
    waiting.set(socket, queue);
    if (queue.length > maxSentAhead) return void socket.destroy();
    queue.push(() => {
      if (socket.destroyed) return;
      res.once('close', () => {
        queue.shift();
        queue[0]?.();
      });
      handle(req, res);
    });
    if (queue.length === 1) queue[0]?.();
  };
}

/**
 * Closes what one block of addresses opens beyond so many connections, each of which takes a file of the process even when nothing
 * is sent. Behind proxies all come from them, and they have such limits of their own.
 */
export function limitConnections(server: Server, perBlock = 4_000): void {
  const open = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    if (env.TRUSTED_PROXIES > 0) return;
    const block = blockOf(socket.remoteAddress ?? 'unknown');
    const count = (open.get(block) ?? 0) + 1;
    if (count > perBlock) {
      socket.destroy();
      if (isNews(`connections ${block}`)) logger.warn({ block }, 'a block of addresses has too many connections open');
      return;
    }
    open.set(block, count);
    socket.once('close', () => {
      const left = (open.get(block) ?? 1) - 1;
      if (left > 0) open.set(block, left);
      else open.delete(block);
    });
  });
}
