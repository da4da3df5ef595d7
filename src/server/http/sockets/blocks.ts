import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { blockOf } from '@/domain/network/address-ranges';
import { env } from '@/env';
import { isNews } from '@/server/limits/news';
import { logger } from '@/server/logger';

/** After so many offenses within that time, in ms, a block has no connection for as long; each time, for twice as long as before. */
const maxOffenses = 3;
const offenseMs = 10_000;
const maxDoublings = 6;
/** How long a block is remembered after the last one, and how many without a connection. */
const forgetMs = 30 * 60_000;
const maxRemembered = 10_000;

type Block = { sockets: Set<Socket>; offenses: number; since: number; refusals: number; refusedUntil: number };

const newBlock = (): Block => {
  return { sockets: new Set(), offenses: 0, since: 0, refusals: 0, refusedUntil: 0 };
};

const blockNameOf = ({ remoteAddress }: Socket) => blockOf(remoteAddress ?? 'unknown');

/**
 * The connections of each block of addresses. Each takes a file of the process even when nothing is sent, so a block has a limited
 * number of them; and none for some time if it keeps sending what no client does. Behind proxies all come from them, and they have
 * such limits of their own.
 */
export class Blocks {
  private readonly blocks = new Map<string, Block>();

  constructor(
    private readonly maxConnections = 4_000,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Closes the connections of a server that a block may not have. */
  watch(server: Server): void {
    server.on('connection', (socket: Socket) => {
      if (env.TRUSTED_PROXIES > 0) return;
      const name = blockNameOf(socket);
      const block = this.blocks.get(name) ?? newBlock();
      if (this.now() < block.refusedUntil) return void socket.destroy();
      if (block.sockets.size >= this.maxConnections) {
        socket.destroy();
        if (isNews(`connections ${name}`))
          logger.warn({ block: name }, 'a block of addresses has too many connections open');
        return;
      }
      this.blocks.set(name, block);
      block.sockets.add(socket);
      socket.once('close', () => {
        block.sockets.delete(socket);
        if (block.sockets.size === 0 && block.offenses === 0) this.blocks.delete(name);
      });
    });
  }

  /**
   * Closes a connection on which more arrived in one piece than any client sends. Node parses all of a piece before anything else
   * happens, so if a block keeps sending such pieces, all its connections are closed.
   */
  refuse(socket: Socket): void {
    if (socket.destroyed) return;
    const name = blockNameOf(socket);
    socket.destroy();
    const block = this.blocks.get(name);
    if (!block) return;
    const now = this.now();
    if (now - block.since > forgetMs) block.refusals = 0;
    if (now - block.since > offenseMs) Object.assign(block, { offenses: 0, since: now });
    block.offenses += 1;
    if (block.offenses < maxOffenses) return;
    block.refusedUntil = now + offenseMs * 2 ** Math.min(block.refusals, maxDoublings);
    block.refusals += 1;
    for (const each of block.sockets) each.destroy();
    if (this.blocks.size > maxRemembered) this.forget(now);
    if (isNews(`offenses ${name}`)) logger.warn({ block: name }, 'a block of addresses sends what no client does');
  }

  private forget(now: number): void {
    for (const [name, { sockets, refusedUntil }] of this.blocks)
      if (sockets.size === 0 && now >= refusedUntil) this.blocks.delete(name);
  }
}
