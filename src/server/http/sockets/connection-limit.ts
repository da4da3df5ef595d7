import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { blockOf } from '@/domain/network/address-ranges';
import { env } from '@/env';
import { isNews } from '@/server/limits/news';
import { logger } from '@/server/logger';

/**
 * Closes the connections of a server that are too many for their block of addresses: each takes a file of the process even when
 * nothing is sent. Behind proxies all come from them, and they have such limits of their own.
 */
export function limitConnections(server: Server, maxConnections = 4_000): void {
  const open = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    if (env.TRUSTED_PROXIES > 0) return;
    const block = blockOf(socket.remoteAddress ?? 'unknown');
    const count = open.get(block) ?? 0;
    if (count >= maxConnections) {
      socket.destroy();
      if (isNews(`connections ${block}`)) logger.warn({ block }, 'a block of addresses has too many connections open');
      return;
    }
    open.set(block, count + 1);
    socket.once('close', () => {
      const left = (open.get(block) ?? 1) - 1;
      if (left > 0) open.set(block, left);
      else open.delete(block);
    });
  });
}
