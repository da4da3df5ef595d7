import { setImmediate, setTimeout } from 'node:timers/promises';
import { blockOf, networkOf, turnOf } from '@/domain/network/address-ranges';
import { leaveThread } from '@/server/http/turns/thread';
import { FairQueue, type Turn } from '@/server/worker/fair-queue';
import { gateOf } from '@/server/worker/thread-share';

/** Bytes of a body up to which it is received at once, and up to which it is also parsed at once. */
export const receivedAtOnce = 64 * 1024;
export const parsedAtOnce = 16 * 1024;

/**
 * Larger bodies that are received at a time, in all and of a network: each is kept until it is whole, for as long as its
 * sender takes. The others stay with their senders.
 */
const receiving = new FairQueue({ running: [128, 24, 16], waiting: 16_000, waitingOfOwner: 4_000 });

/**
 * Smaller bodies of a block that are on their way at a time, since what arrives of each is kept. Beyond that, those make room that have
 * been for so many milliseconds: most are whole at once, and thousands may begin together.
 */
const maxArriving = 512;
const arrivingMs = 1_000;
type Arriving = { network: string; began: number; close: () => void };
/** By block, in the order in which they began. */
const arriving = new Map<string, Set<Arriving>>();

/** Closes what has been on its way for longest, of the network that has most, where that is long. */
function closeOldest(bodies: Set<Arriving>): void {
  const counts = new Map<string, { oldest: Arriving; count: number }>();
  for (const body of bodies) {
    const { oldest = body, count = 0 } = counts.get(body.network) ?? {};
    counts.set(body.network, { oldest, count: count + 1 });
  }
  const { oldest } = [...counts.values()].reduce((most, own) => (own.count > most.count ? own : most));
  if (performance.now() - oldest.began < arrivingMs) return;
  bodies.delete(oldest);
  oldest.close();
}

/** Receives a body beside others of its block, of which one makes room where they are too many. */
async function receiveAtOnce(ip: string, receive: () => Promise<Buffer>, close: () => void): Promise<Buffer> {
  const block = blockOf(ip);
  const bodies = arriving.get(block) ?? new Set<Arriving>();
  arriving.set(block, bodies);
  const own = { network: networkOf(ip), began: performance.now(), close };
  bodies.add(own);
  if (bodies.size > maxArriving) closeOldest(bodies);
  try {
    return await receive();
  } finally {
    if (bodies.delete(own) && bodies.size === 0) arriving.delete(block);
  }
}

/**
 * Bodies that are parsed at a time, and bytes of them in a millisecond. A megabyte takes the thread up to 20 milliseconds, and
 * a request of somebody else waits for several rounds of the event loop: most of them must come without a body.
 */
const parsing = new FairQueue({ running: [1], gate: gateOf(10, 4), waiting: 16_000, waitingOfOwner: 8_000 });
const parsedPerMs = 20 * 1024;
/** Of each network one at a time, whose next one begins when its time and that of others is over; no other network waits for that. */
const parsingOfNetwork = new FairQueue({
  running: [Number.POSITIVE_INFINITY, 1],
  waiting: 16_000,
  waitingOfOwner: 8_000,
});

/**
 * After a body that was not received at once, others have up to so many times as long, while anything wants the thread. V8 takes ten
 * times as long for objects of unusual shapes, and a call parses its body only in its own turn.
 */
const busyFactor = 10;

/**
 * Resolves when a body of so many bytes may be parsed; the next one may be when that is done and the time for it is over, and one of
 * the same network after the time of others.
 */
function parseInTurn(turn: Turn, bytes: number): Promise<void> {
  return new Promise((begin, fail) => {
    const parse = async () => {
      begin();
      // Otherwise a body that takes all of its time to be parsed would leave none to others.
      await setImmediate();
      await setTimeout(bytes / parsedPerMs);
    };
    const parseAndLeave = async () => {
      await parsing.run(turn, parse);
      if (bytes > receivedAtOnce) await leaveThread((busyFactor * bytes) / parsedPerMs);
    };
    parsingOfNetwork.run(turn, parseAndLeave).catch(fail);
  });
}

/**
 * Receives a body, if it is large when it is the turn of its network, and returns when it may be parsed.
 * @param declared bytes that it will have; Infinity when nobody knows
 * @param close has `receive` fail
 * @throws OVERLOADED when too many wait, and what `receive` throws
 */
export async function receiveInTurn(
  { ip, declared, close }: { ip: string; declared: number; close: () => void },
  receive: () => Promise<Buffer>,
): Promise<Buffer> {
  const turn = turnOf(ip);
  const isLarge = declared > receivedAtOnce;
  const receiveAndWait = async () => {
    const body = await (isLarge ? receive() : receiveAtOnce(ip, receive, close));
    if (body.length > parsedAtOnce) await parseInTurn(turn, body.length);
    return body;
  };
  return isLarge ? receiving.run(turn, receiveAndWait) : receiveAndWait();
}
