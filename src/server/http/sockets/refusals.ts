import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from '@/domain/network/address-ranges';
import { env } from '@/env';
import { isNews } from '@/server/limits/news';
import { logger } from '@/server/logger';

/**
 * What an address may send in that time, in ms, that is more than a connection may: as many requests, which take 0.1 to 0.2 seconds
 * to parse. Beyond it, the address has no connection for as long; each time, for twice as long as before.
 */
const maxRequests = 5_000;
const countedMs = 10_000;
const maxDoublings = 6;
/** How long an address is remembered after the last time, and how many without a connection. */
const forgetMs = 30 * 60_000;
const maxRemembered = 10_000;

type Sender = { sockets: Set<Socket>; requests: number; since: number; refusals: number; refusedUntil: number };

/**
 * Refuses addresses (of IPv6, networks of 64 bits) that keep sending more than a connection may. Closing one is not enough: Node
 * parses all of what has arrived in one piece. Behind proxies all come from them, so that only the connection is closed.
 */
export class Refusals {
  private readonly senders = new Map<string, Sender>();
  private readonly senderOf = new WeakMap<Socket, Sender>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Closes the connections of refused addresses. */
  watch(server: Server): void {
    server.on('connection', (socket: Socket) => {
      if (env.TRUSTED_PROXIES > 0) return;
      const address = networkOf(socket.remoteAddress ?? 'unknown');
      const sender = this.senders.get(address) ?? {
        sockets: new Set(),
        requests: 0,
        since: 0,
        refusals: 0,
        refusedUntil: 0,
      };
      if (this.now() < sender.refusedUntil) return void socket.destroy();
      this.senders.set(address, sender);
      this.senderOf.set(socket, sender);
      sender.sockets.add(socket);
      socket.once('close', () => {
        sender.sockets.delete(socket);
        if (sender.sockets.size === 0 && sender.requests === 0) this.senders.delete(address);
        if (this.senders.size > maxRemembered) this.forget();
      });
    });
  }

  /**
   * Closes a connection because of something that it may not send. Called again for all else that Node still parses of what arrived
   * with it.
   * @param requests what that takes to parse, as a number of requests
   */
  close(socket: Socket, requests = 1): void {
    socket.destroy();
    const sender = this.senderOf.get(socket);
    const now = this.now();
    if (!sender || now < sender.refusedUntil) return;
    if (now - sender.since > forgetMs) sender.refusals = 0;
    if (now - sender.since > countedMs) Object.assign(sender, { requests: 0, since: now });
    sender.requests += requests;
    if (sender.requests < maxRequests) return;
    sender.refusedUntil = now + countedMs * 2 ** Math.min(sender.refusals, maxDoublings);
    sender.refusals += 1;
    for (const each of sender.sockets) each.destroy();
    const address = networkOf(socket.remoteAddress ?? 'unknown');
    if (isNews(`refusal ${address}`)) logger.warn({ address }, 'an address sends what no client does');
  }

  /** Forgets the addresses without a connection that were seen first, those that are not refused before the others. */
  private forget(): void {
    const now = this.now();
    for (const isKept of [(until: number) => now < until, () => false])
      for (const [address, { sockets, refusedUntil }] of this.senders) {
        if (this.senders.size <= maxRemembered / 2) return;
        if (sockets.size === 0 && !isKept(refusedUntil)) this.senders.delete(address);
      }
  }
}
