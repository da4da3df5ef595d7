import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { blockOf } from '@/domain/network/address-ranges';
import { env } from '@/env';
import { isNews } from '@/server/limits/news';
import { logger } from '@/server/logger';

/**
 * A block of addresses with so many offences within that time, in ms, has no connection for as long again, twice as long the next time,
 * and so on.
 */
const maxOffences = 3;
const offenceMs = 10_000;
const maxDoublings = 6;
/** How long a block is remembered after the last one. */
const forgetMs = 30 * 60_000;
const maxBlocks = 10_000;

type Block = { sockets: Set<Socket>; offences: number; since: number; refusals: number; refusedUntil: number };

const newBlock = (): Block => {
  return { sockets: new Set(), offences: 0, since: 0, refusals: 0, refusedUntil: 0 };
};

/**
 * Closes connections on which more arrives in one piece than any client sends: Node parses all of a piece before anybody's turn,
 * and nothing else happens meanwhile. Whoever sends such again and again is refused before anything is read.
 */
export class Offences {
  private readonly blocks = new Map<string, Block>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Refuses connections of blocks with too many offences. */
  watch(server: Server): void {
    server.on('connection', (socket: Socket) => {
      const name = blockOf(socket.remoteAddress ?? 'unknown');
      const block = this.blocks.get(name) ?? newBlock();
      if (this.now() < block.refusedUntil) return void socket.destroy();
      this.blocks.set(name, block);
      block.sockets.add(socket);
      socket.once('close', () => {
        block.sockets.delete(socket);
        if (block.sockets.size === 0 && this.isOver(block)) this.blocks.delete(name);
      });
    });
  }

  private isOver({ offences, since, refusedUntil }: Block): boolean {
    return offences === 0 || this.now() - Math.max(since, refusedUntil) > forgetMs || this.blocks.size > maxBlocks;
  }

  /** Closes a connection, and all of its block when that has done so too often. */
  note(socket: Socket): void {
    if (socket.destroyed) return;
    const name = blockOf(socket.remoteAddress ?? 'unknown');
    socket.destroy();
    const block = this.blocks.get(name);
    // Behind a proxy, all connections are its own.
    if (!block || env.TRUSTED_PROXIES > 0) return;
    const now = this.now();
    if (now - block.since > forgetMs) block.refusals = 0;
    if (now - block.since > offenceMs) Object.assign(block, { offences: 0, since: now });
    block.offences += 1;
    if (block.offences < maxOffences) return;
    block.refusedUntil = now + offenceMs * 2 ** Math.min(block.refusals, maxDoublings);
    block.refusals += 1;
    for (const each of block.sockets) each.destroy();
    if (isNews(`offences ${name}`)) logger.warn({ block: name }, 'a block of addresses sends what no client does');
  }
}
