import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { blockOf, networkOf } from '@/domain/network/address-ranges';
import { env } from '@/env';
import { readingOf } from '@/server/http/sockets/slow-readers';
import { isNews } from '@/server/limits/news';
import { logger } from '@/server/logger';
import { waitedForTurn } from '@/server/worker/waiting';

/** Connections that are looked at for one to close, of those whose requests are being answered. */
const maxLooks = 64;

/**
 * Milliseconds that a connection may wait before others make room. Where an address is full, the next connection can be accepted
 * before what this one has sent is read.
 */
const patienceMs = 1_000;

/**
 * For how long a connection whose request has arrived has waited for its turn, or for its client to read; null while something is
 * done for it.
 */
function waitedMs(socket: Socket, now: number): number | null {
  return socket.writableLength > 0 ? (readingOf(socket, now)?.ms ?? 0) : waitedForTurn(socket, now);
}

/** The connections of a network, each collection with the first to make room first. */
class Network {
  readonly all = new Set<Socket>();
  /** Those that wait for a request, and since when. */
  readonly idle = new Map<Socket, number>();
  /** The requests of those whose body may still be on its way, and since when. */
  readonly arriving = new Map<Socket, { req: IncomingMessage; since: number }>();

  begin(socket: Socket, req: IncomingMessage): void {
    this.idle.delete(socket);
    this.arriving.delete(socket);
    if (this.all.has(socket)) this.arriving.set(socket, { req, since: performance.now() });
  }

  finish(socket: Socket): void {
    this.arriving.delete(socket);
    if (this.all.has(socket)) this.idle.set(socket, performance.now());
  }

  add(socket: Socket): void {
    this.all.add(socket);
    this.idle.set(socket, performance.now());
  }

  /** @returns whether it was there */
  delete(socket: Socket): boolean {
    this.idle.delete(socket);
    this.arriving.delete(socket);
    return this.all.delete(socket);
  }

  /** One that waits, and has for long if there is such a one. */
  findWaiting(): Socket | undefined {
    const now = performance.now();
    return this.findWaitingFor(patienceMs, now) ?? this.findWaitingFor(0, now);
  }

  /** One that has waited for so long: for a request, else for the rest of one, else for a turn or its client to read a response. */
  private findWaitingFor(ms: number, now: number): Socket | undefined {
    for (const [socket, since] of this.idle) {
      if (now - since >= ms) return socket;
      break;
    }
    for (const [socket, { req, since }] of this.arriving) {
      if (now - since < ms) break;
      if (!req.complete) return socket;
      // Looked at once, however many are closed.
      this.arriving.delete(socket);
    }
    let looks = 0;
    for (const socket of this.all) {
      if ((waitedMs(socket, now) ?? -1) >= ms) return socket;
      if (++looks === maxLooks) break;
      // The next look begins behind it.
      this.all.delete(socket);
      this.all.add(socket);
    }
    return undefined;
  }
}

/** The connections of a block of addresses, by network, and how many further ones have made room and are not closed yet. */
type Block = { count: number; leaving: number; networks: Map<string, Network> };

/**
 * Milliseconds after which one that has made room is closed, while these are no more than such a part of a block: a client that
 * connects again at once would make thousands of connections a second.
 */
const leavingMs = 5_000;
const leavingPart = 1 / 8;

/** The network that has most connections. */
function mostOf({ networks }: Block): Network {
  let most = new Network();
  for (const network of networks.values()) if (network.all.size > most.all.size) most = network;
  return most;
}

function close(socket: Socket, block: Block, maxLeaving: number): void {
  if (block.leaving >= maxLeaving) return void socket.destroy();
  block.leaving += 1;
  const timer = setTimeout(() => socket.destroy(), leavingMs).unref();
  socket.once('close', () => {
    clearTimeout(timer);
    block.leaving -= 1;
  });
}

/**
 * Closes a connection for a network: of the network that has most, one for which nothing is being done, and another one only if
 * that will have more than the one that makes room.
 * @returns whether it did
 */
function makeRoom(block: Block, own: Network, maxLeaving: number): boolean {
  const mostOfOne = mostOf(block);
  const isOfAnother = mostOfOne.all.size > own.all.size + 1;
  const most = isOfAnother ? mostOfOne : own;
  const [oldest] = most.all;
  const closed = most.findWaiting() ?? (isOfAnother ? oldest : undefined);
  if (!closed) return false;
  most.delete(closed);
  block.count -= 1;
  close(closed, block, maxLeaving);
  return true;
}

/**
 * Closes connections of a server that are too many for their block of addresses: each takes a file of the process even when
 * nothing is sent. The network of the block that has most makes room, with one that waits for its client or for a turn if it has
 * one, so that whoever takes them all is who loses them, and keeps out nobody behind the same address. Behind proxies all come
 * from them, and they have such limits of their own.
 */
export function limitConnections(server: Server, maxConnections = 4_000): void {
  const blocks = new Map<string, Block>();
  const networks = new WeakMap<Socket, Network>();
  /** The last response of each connection. */
  const responses = new WeakMap<Socket, ServerResponse>();

  server.on('connection', (socket: Socket) => {
    if (env.TRUSTED_PROXIES > 0) return;
    const address = socket.remoteAddress ?? 'unknown';
    const [name, network] = [blockOf(address), networkOf(address)];
    const block = blocks.get(name) ?? { count: 0, leaving: 0, networks: new Map<string, Network>() };
    const own = block.networks.get(network) ?? new Network();
    if (block.count >= maxConnections) {
      if (isNews(`connections ${name}`))
        logger.warn({ block: name }, 'a block of addresses has too many connections open');
      if (!makeRoom(block, own, Math.floor(maxConnections * leavingPart))) {
        socket.destroy();
        return;
      }
    }
    blocks.set(name, block);
    block.networks.set(network, own);
    networks.set(socket, own);
    own.add(socket);
    block.count += 1;
    socket.once('close', () => {
      // It may have made room.
      if (!own.delete(socket)) return;
      block.count -= 1;
      if (own.all.size === 0) block.networks.delete(network);
      if (block.count === 0) blocks.delete(name);
    });
  });
  server.on('request', (req: IncomingMessage, res: ServerResponse) => {
    const { socket } = req;
    const network = networks.get(socket);
    if (!network) return;
    responses.set(socket, res);
    network.begin(socket, req);
    // One that does not finish ends its connection.
    res.once('finish', () => {
      if (responses.get(socket) === res) network.finish(socket);
    });
  });
}
