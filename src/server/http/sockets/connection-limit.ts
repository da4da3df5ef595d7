import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { blockOf, networkOf } from '@/domain/network/address-ranges';
import { env } from '@/env';
import { isNews } from '@/server/limits/news';
import { logger } from '@/server/logger';

/** The connections of a block of addresses, by network. */
type Block = { count: number; networks: Map<string, Set<Socket>> };

/** The connections of the network that has most. */
function mostOf({ networks }: Block): Set<Socket> {
  let most = new Set<Socket>();
  for (const sockets of networks.values()) if (sockets.size > most.size) most = sockets;
  return most;
}

function firstOf(sockets: Iterable<Socket>, fits: (socket: Socket) => boolean): Socket | undefined {
  for (const socket of sockets) if (fits(socket)) return socket;
  return undefined;
}

/**
 * Closes connections of a server that are too many for their block of addresses: each takes a file of the process even when
 * nothing is sent. The network of the block that has most makes room, with one that is idle if it has one, so that whoever takes
 * them all is who loses them. Behind proxies all come from them, and they have such limits of their own.
 */
export function limitConnections(server: Server, maxConnections = 4_000): void {
  const blocks = new Map<string, Block>();
  /** The last response of each connection. */
  const responses = new WeakMap<Socket, ServerResponse>();
  const isIdle = (socket: Socket) => {
    const last = responses.get(socket);
    return !last || last.writableFinished || last.destroyed;
  };

  /**
   * Closes a connection for a network: the oldest idle one of the network that has most, and one that is busy only if that will
   * have more than the one that makes room.
   * @returns whether it did
   */
  function makeRoom(block: Block, own: Set<Socket>): boolean {
    const mostOfOne = mostOf(block);
    const isOfAnother = mostOfOne.size > own.size + 1;
    const most = isOfAnother ? mostOfOne : own;
    const idle = firstOf(most, isIdle);
    const [oldest] = most;
    const closed = idle ?? (isOfAnother ? oldest : undefined);
    if (!closed) return false;
    most.delete(closed);
    block.count -= 1;
    closed.destroy();
    return true;
  }

  server.on('connection', (socket: Socket) => {
    if (env.TRUSTED_PROXIES > 0) return;
    const address = socket.remoteAddress ?? 'unknown';
    const [name, network] = [blockOf(address), networkOf(address)];
    const block = blocks.get(name) ?? { count: 0, networks: new Map<string, Set<Socket>>() };
    const own = block.networks.get(network) ?? new Set();
    if (block.count >= maxConnections) {
      if (isNews(`connections ${name}`))
        logger.warn({ block: name }, 'a block of addresses has too many connections open');
      if (!makeRoom(block, own)) {
        socket.destroy();
        return;
      }
    }
    blocks.set(name, block);
    block.networks.set(network, own.add(socket));
    block.count += 1;
    socket.once('close', () => {
      // It may have made room.
      if (!own.delete(socket)) return;
      block.count -= 1;
      if (own.size === 0) block.networks.delete(network);
      if (block.count === 0) blocks.delete(name);
    });
  });
  server.on('request', ({ socket }: IncomingMessage, res: ServerResponse) => void responses.set(socket, res));
}
