import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { blockOf } from '@/domain/network/address-ranges';
import { env } from '@/env';
import type { Offences } from '@/server/http/sockets/offences';
import { isNews } from '@/server/limits/news';
import { logger } from '@/server/logger';

/**
 * Requests of a connection that may wait for the responses to earlier ones. Browsers and proxies send none ahead, load
 * generators a few.
 */
const maxSentAhead = 32;
/** What several that wait take together: 16 KiB of headers in each, on all connections of a block, are gigabytes. */
const maxSizeAhead = 16 * 1024;

/** What a request takes to keep it waiting, in bytes: each text has some of its own. */
const sizeOf = ({ url = '', rawHeaders }: IncomingMessage): number =>
  rawHeaders.reduce((sum, text) => sum + text.length + 16, url.length);

/**
 * Answers the requests of a connection one after the other. Node would begin all that arrive in one piece, thousands of
 * them, keep their responses until the first has been read, and tell nobody when the connection is gone before that.
 * @param offences notes connections that send too many ahead
 */
export function oneAtATime(
  handle: (req: IncomingMessage, res: ServerResponse) => void,
  offences: Pick<Offences, 'note'>,
): RequestListener {
  const waiting = new WeakMap<Socket, { size: number; begin: () => void }[]>();
  return (req, res) => {
    const { socket } = req;
    const queue = waiting.get(socket) ?? [];
    waiting.set(socket, queue);
    const size = sizeOf(req);
    // The first is being answered, and one may always wait: clients send it when they have the response.
    const sizeAhead = queue.slice(1).reduce((sum, ahead) => sum + ahead.size, size);
    if (queue.length > maxSentAhead || (queue.length > 1 && sizeAhead > maxSizeAhead)) return offences.note(socket);
    const begin = () => {
      if (socket.destroyed) return;
      res.once('close', () => {
        queue.shift();
        queue[0]?.begin();
      });
      handle(req, res);
    };
    queue.push({ size, begin });
    if (queue.length === 1) begin();
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
