import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { blockOf } from '@/domain/network/address-ranges';
import { addressOf } from '@/server/http/caller-address';
import { isNews } from '@/server/limits/news';
import { logger } from '@/server/logger';

const mib = 1024 * 1024;
const checkMs = 500;

export type SlowReaderLimits = {
  /** Bytes of responses that may wait for the connections of one block of addresses, and for all of them. */
  perBlock: number;
  inAll: number;
  /** Milliseconds in which some of what waits has to be read. */
  stalledMs: number;
};

const defaultLimits: SlowReaderLimits = { perBlock: 32 * mib, inAll: 256 * mib, stalledMs: 120_000 };

type Reader = {
  address: string;
  block: string;
  /** Bytes that it had read when it last read something, and when that was. */
  read: number;
  readAt: number;
  /** The same when it first had something unread; null while it has nothing. */
  begun: { at: number; read: number } | null;
};

/** The readers of all servers, by connection. */
const readerOf = new WeakMap<Socket, Reader>();

/** A connection with bytes unread, and how many of them it reads in a second. */
export type Waiting = { socket: Pick<Socket, 'destroy'>; unread: number; pace: number };

/** What waits for the connections of a block of addresses. */
export type WaitingBlock = { unread: number; waiting: Waiting[] };

/**
 * Bytes that the operating system has taken of what was written. A response is often one piece, and streams count a piece as
 * unread until all of it is gone; only the handle tells how much is left, as Node's own timeouts ask it.
 */
function readOf(socket: Socket): number {
  const { _handle: handle } = socket as Socket & {
    _handle?: { bytesWritten?: number; writeQueueSize?: number } | null;
  };
  const { bytesWritten, writeQueueSize } = handle ?? {};
  if (bytesWritten === undefined || writeQueueSize === undefined) return socket.bytesWritten - socket.writableLength;
  return bytesWritten - writeQueueSize;
}

/**
 * Bytes a second since it first had something unread. Of who has just begun nobody knows: more than of who stands still.
 */
function paceOf({ begun, read }: Reader, now: number): number {
  if (!begun || begun.at === now) return 1;
  return ((read - begun.read) * 1000) / (now - begun.at);
}

/** For how long a connection has had something unread, and how many bytes it reads in a second; null when it has nothing. */
export function readingOf(socket: Socket, now: number): { ms: number; pace: number } | null {
  const reader = readerOf.get(socket);
  return reader?.begun ? { ms: now - reader.begun.at, pace: paceOf(reader, now) } : null;
}

/**
 * Closes connections while blocks together have more unread than the limit: the slowest of the block that has most, and of
 * those that are equally slow the fullest. The order is made once, so that closing thousands takes no longer than it must.
 */
export function closeSlowest(blocks: Map<string, WaitingBlock>, limit: number): void {
  let unread = [...blocks.values()].reduce((sum, block) => sum + block.unread, 0);
  if (unread <= limit) return;
  for (const { waiting } of blocks.values())
    waiting.sort((one, other) => other.pace - one.pace || one.unread - other.unread);
  while (unread > limit) {
    const [name, most] = [...blocks].reduce((one, other) => (other[1].unread > one[1].unread ? other : one));
    const slowest = most.waiting.pop();
    if (!slowest) return;
    if (isNews(`slow readers ${name}`))
      logger.warn({ block: name, unread }, 'connections are closed because their clients do not read');
    unread -= slowest.unread;
    most.unread -= slowest.unread;
    slowest.socket.destroy();
  }
}

/**
 * Closes connections whose clients do not read their responses, which would stay in memory as long as those clients like:
 * those that stand still, and the slowest of a block of addresses with too much unread, or, when all together have too
 * much, of the block that has most. What the operating system has taken over does not count, so a client that reads at an
 * ordinary pace has nothing unread.
 * @returns what stops it
 */
export function limitSlowReaders(server: Server, limits: SlowReaderLimits = defaultLimits): () => void {
  const readers = new Map<Socket, Reader>();
  server.on('request', (req: IncomingMessage) => {
    const { socket } = req;
    const address = addressOf(req);
    const known = readers.get(socket);
    // Behind a proxy, the callers of one connection change.
    if (known?.address === address) return;
    const block = blockOf(address);
    if (known) Object.assign(known, { address, block });
    else {
      const reader = { address, block, read: 0, readAt: 0, begun: null };
      readers.set(socket, reader);
      readerOf.set(socket, reader);
      socket.once('close', () => readers.delete(socket));
    }
  });

  /** Takes note of what a connection has read. @returns whether it has stood still for too long */
  function standsStill(socket: Socket, reader: Reader, now: number): boolean {
    const read = readOf(socket);
    if (socket.writableLength === 0) reader.begun = null;
    else reader.begun ??= { at: now, read };
    if (socket.writableLength === 0 || read !== reader.read) Object.assign(reader, { read, readAt: now });
    return now - reader.readAt >= limits.stalledMs;
  }

  const timer = setInterval(() => {
    const now = performance.now();
    const blocks = new Map<string, WaitingBlock>();
    for (const [socket, reader] of readers) {
      if (standsStill(socket, reader, now)) socket.destroy();
      else if (socket.writableLength > 0) {
        const block = blocks.get(reader.block) ?? { unread: 0, waiting: [] };
        block.unread += socket.writableLength;
        block.waiting.push({ socket, unread: socket.writableLength, pace: paceOf(reader, now) });
        blocks.set(reader.block, block);
      }
    }
    for (const [name, block] of blocks) closeSlowest(new Map([[name, block]]), limits.perBlock);
    closeSlowest(blocks, limits.inAll);
  }, checkMs);
  timer.unref();
  return () => clearInterval(timer);
}
