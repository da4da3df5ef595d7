import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { originOf } from '@/domain/network/address-ranges';
import { FairQueue } from './fair-queue';
import { gateOf, spendShare, wantThread } from './thread-share';

const noLimits = { running: [], waiting: 1_000, waitingOfOwner: 1_000 };

/** A queue whose pieces take all that may be under way, and one of small pieces. */
const makeQueues = () => ({
  large: new FairQueue({ ...noLimits, gate: gateOf(30, 4) }),
  small: new FairQueue({ ...noLimits, gate: gateOf(1) }),
});

/** Runs work of an address that ends when it is asked to. */
function begin(queue: FairQueue, address: string) {
  const [owner, site] = originOf(address);
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const piece = { hasBegun: false, end, done: Promise.resolve() };
  piece.done = queue.run({ owner, caller: [site] }, () => {
    piece.hasBegun = true;
    return ended;
  });
  return piece;
}

/** What begins at once has begun after these, in which no time passes. */
async function untilBegun() {
  for (let step = 0; step < 10; step += 1) await Promise.resolve();
}

/** So much that the address has had its share, and its block has not. */
const spendAll = (address: string) => spendShare(originOf(address), 250);

test('who has had their share begins nothing of any kind while others want the thread', async () => {
  const queues = Object.values(makeQueues());
  const [spent, other] = ['203.0.113.1', '198.51.100.1'];
  const endWanting = wantThread(originOf(other));
  spendAll(spent);
  const held = queues.map((queue) => begin(queue, spent));
  const free = queues.flatMap((queue) => [begin(queue, other), begin(queue, '203.0.113.2')]);
  await untilBegun();
  expect(held.map(({ hasBegun }) => hasBegun)).toEqual([false, false]);
  expect(free.map(({ hasBegun }) => hasBegun)).toEqual([true, true, true, true]);
  for (const piece of [...held, ...free]) piece.end();
  await Promise.all(free.map(({ done }) => done));
  endWanting();
  // It need not want anything else.
  await Promise.all(held.map(({ done }) => done));
});

test('who has had their share gives way to nobody while the thread is idle', async () => {
  const queue = new FairQueue({ ...noLimits, gate: gateOf(1) });
  const address = '203.0.113.193';
  const ends: (() => void)[] = [];
  const keepOn = () => {
    spendAll(address);
    ends.push(wantThread(originOf('198.51.100.4')));
  };
  // What is asked for waits for something outside, again and again.
  const timer = setInterval(keepOn, 20);
  keepOn();
  const held = begin(queue, address);
  await untilBegun();
  const early = held.hasBegun;
  held.end();
  await held.done;
  clearInterval(timer);
  for (const end of ends) end();
  expect(early).toBe(false);
});

test('a block whose addresses have had its share together begins nothing while other blocks want the thread', async () => {
  const queue = new FairQueue({ ...noLimits, gate: gateOf(1) });
  const endWanting = wantThread(originOf('198.51.100.2'));
  for (let host = 0; host < 200; host += 1) spendShare(originOf(`192.0.2.${host}`), 10);
  const [held, free] = [begin(queue, '192.0.2.250'), begin(queue, '198.51.100.3')];
  await untilBegun();
  expect([held.hasBegun, free.hasBegun]).toEqual([false, true]);
  endWanting();
  for (const piece of [held, free]) piece.end();
  await Promise.all([held.done, free.done]);
});

test('who has had their share has one large piece under way, or some small ones, even if nobody else asks', async () => {
  const { large, small } = makeQueues();
  const address = '203.0.113.65';
  spendAll(address);
  const pieces = Array.from({ length: 5 }, () => begin(small, address));
  const page = begin(large, address);
  await untilBegun();
  expect(pieces.map(({ hasBegun }) => hasBegun)).toEqual([true, true, true, true, false]);
  // The share that is given back in time lets more begin, not fewer.
  for (const piece of pieces.slice(0, 4)) piece.end();
  await Promise.all(pieces.slice(0, 4).map(({ done }) => done));
  spendAll(address);
  page.end();
  for (const piece of pieces) piece.end();
  await Promise.all([page.done, ...pieces.map(({ done }) => done)]);
});

test('what comes with many small pieces and is not measured counts, too', async () => {
  const queue = new FairQueue({ ...noLimits, gate: gateOf(0, 1 / 8, 0.5) });
  const [address, other] = ['203.0.113.161', '198.51.100.5'];
  const [owner, site] = originOf(address);
  for (let piece = 0; piece < 800; piece += 1) await queue.run({ owner, caller: [site] }, async () => undefined);
  const endWanting = wantThread(originOf(other));
  const held = begin(queue, address);
  await untilBegun();
  const early = held.hasBegun;
  endWanting();
  held.end();
  await held.done;
  expect(early).toBe(false);
});

test('a large piece is next when it has no room, so that small ones do not keep it waiting', async () => {
  const { large, small } = makeQueues();
  const address = '203.0.113.129';
  spendAll(address);
  const order: string[] = [];
  const first = begin(small, address);
  const run = (queue: FairQueue, name: string) =>
    queue.run({ owner: originOf(address)[0], caller: [address] }, async () => {
      order.push(name);
      spendAll(address);
      await setImmediate();
    });
  const page = run(large, 'page');
  await untilBegun();
  const further = Array.from({ length: 8 }, () => run(small, 'read'));
  first.end();
  await Promise.all([page, ...further]);
  expect(order[0]).toBe('page');
  expect(order).toHaveLength(9);
});
