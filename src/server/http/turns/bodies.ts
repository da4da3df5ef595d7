import { setImmediate, setTimeout } from 'node:timers/promises';
import { turnOf } from '@/domain/network/address-ranges';
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
 * @throws OVERLOADED when too many wait, and what `receive` throws
 */
export async function receiveInTurn(
  { ip, declared }: { ip: string; declared: number },
  receive: () => Promise<Buffer>,
): Promise<Buffer> {
  const turn = turnOf(ip);
  const receiveAndWait = async () => {
    const body = await receive();
    if (body.length > parsedAtOnce) await parseInTurn(turn, body.length);
    return body;
  };
  return declared <= receivedAtOnce ? receiveAndWait() : receiving.run(turn, receiveAndWait);
}
