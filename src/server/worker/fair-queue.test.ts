import { expect, onTestFinished, test, vi } from 'vitest';
import { FairQueue, type QueueLimits, sizeOfBody, type Turn } from './fair-queue';
import { answerOn, keepWaiting, maxWaitMs } from './waiting';

/** A queue, and what it has begun, by name; each piece of work ends when the test ends it. */
function makeQueue(limits: Partial<QueueLimits>) {
  const queue = new FairQueue({ running: [1], waiting: 100, waitingOfOwner: 100, ...limits });
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const add = (owner: string, name: string, turn: Partial<Turn> = {}) =>
    queue.run({ owner, ...turn }, async () => {
      begun.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
      return name;
    });
  async function end(name: string): Promise<void> {
    ends.get(name)?.();
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  }
  return { queue, begun, add, end };
}

test('an owner whose work came last waits for one piece of another, not for all of them', async () => {
  const { begun, add, end } = makeQueue({});
  const all = [add('a', 'a1'), add('a', 'a2'), add('a', 'a3'), add('b', 'b1')];
  await end('');
  expect(begun).toEqual(['a1']);
  await end('a1');
  await end('a2');
  await end('b1');
  await end('a3');
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3']);
  expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'b1']);
});

test('one owner never has all places', async () => {
  const { begun, add, end } = makeQueue({ running: [3, 2] });
  const all = [add('a', 'a1'), add('a', 'a2'), add('a', 'a3'), add('b', 'b1')];
  await end('');
  expect(begun).toEqual(['a1', 'a2', 'b1']);
  for (const name of ['b1', 'a1', 'a2', 'a3']) await end(name);
  expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'b1']);
});

test('work that fails makes room', async () => {
  const { queue } = makeQueue({});
  await expect(queue.run({ owner: 'a' }, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await queue.run({ owner: 'a' }, async () => 'done')).toBe('done');
});

const overloaded = { reason: 'OVERLOADED', status: 503, retryAfter: expect.any(Number) };

test('the callers of one owner take turns, too', async () => {
  const { begun, add, end } = makeQueue({});
  const all = [
    ...['x1', 'x2', 'x3'].map((name) => add('a', name, { caller: ['x'] })),
    ...['y1', 'y2'].map((name) => add('a', name, { caller: ['y'] })),
  ];
  await end('');
  for (const name of ['x1', 'x2', 'y1', 'x3', 'y2']) await end(name);
  await Promise.all(all);
  expect(begun).toEqual(['x1', 'x2', 'y1', 'x3', 'y2']);
});

test('the steps of a caller take turns, each within the one before, and each has a limit of its own', async () => {
  const { begun, add, end } = makeQueue({ running: [10, 3, 2, 1] });
  const all = [
    ...['n1x1', 'n1x2', 'n1y1', 'n1z1'].map((name) => add('a', name, { caller: ['n1', name[2] ?? ''] })),
    ...['n2x1', 'n3x1'].map((name) => add('a', name, { caller: [name.slice(0, 2), 'x'] })),
    add('b', 'b1', { caller: ['n4', 'x'] }),
  ];
  await end('');
  expect(begun).toEqual(['n1x1', 'n1y1', 'n2x1', 'b1']);
  for (const name of ['n1y1', 'n1x1', 'n1z1', 'n3x1', 'n1x2', 'n2x1', 'b1']) await end(name);
  await Promise.all(all);
  expect(begun.slice(4)).toEqual(['n1z1', 'n3x1', 'n1x2']);
});

test('when too much waits, the network and the account with most of it make room', async () => {
  const { add, end } = makeQueue({ waitingOfOwner: 6 });
  const running = add('a', 'running', { caller: ['n0', 'x'] });
  const crowd = ['x1', 'x2', 'x3', 'y1'].map((name) => add('a', name, { caller: ['n1', name[0] ?? ''] }));
  const others = ['n2', 'n3', 'n4'].map((network) => add('a', network, { caller: [network, 'z'] }));
  await expect(crowd[2]).rejects.toMatchObject(overloaded);
  // Of the same network, but with less than the fullest of it.
  const neighbor = add('a', 'z1', { caller: ['n1', 'z'] });
  await expect(crowd[1]).rejects.toMatchObject(overloaded);
  await expect(add('a', 'x4', { caller: ['n1', 'x'] })).rejects.toMatchObject(overloaded);
  for (const name of ['running', 'x1', 'n2', 'n3', 'n4', 'y1', 'z1']) await end(name);
  await Promise.all([running, crowd[0], crowd[3], neighbor, ...others]);
});

test('when too much waits, the owner with the most waiting is refused', async () => {
  const { begun, add, end } = makeQueue({ waitingOfOwner: 3 });
  const first = add('a', 'first');
  const crowd = ['x1', 'x2', 'x3'].map((name) => add('a', name, { caller: ['x'] }));
  await expect(add('a', 'x4', { caller: ['x'] })).rejects.toMatchObject(overloaded);
  const other = add('a', 'y1', { caller: ['y'] });
  await expect(crowd[2]).rejects.toMatchObject(overloaded);
  for (const name of ['first', 'x1', 'y1', 'x2']) await end(name);
  await Promise.all([first, crowd[0], crowd[1], other]);
  expect(begun).toEqual(['first', 'x1', 'y1', 'x2']);
});

test('when too much waits in all, the owner with most of it makes room, and what has begun ends', async () => {
  const { queue, add, end } = makeQueue({ running: [2, 1], waiting: 4 });
  const running = add('a', 'a1');
  const waiting = ['a2', 'a3', 'a4', 'a5'].map((name) => add('a', name));
  await expect(add('a', 'a6')).rejects.toMatchObject(overloaded);
  const others = [add('b', 'b1'), add('b', 'b2'), add('b', 'b3')];
  await expect(waiting[3]).rejects.toMatchObject(overloaded);
  await expect(waiting[2]).rejects.toMatchObject(overloaded);
  // Both have two.
  await expect(add('b', 'b4')).rejects.toMatchObject(overloaded);
  expect(queue.size).toBe(4);
  for (const name of ['a1', 'b1', 'a2', 'b2', 'a3', 'b3']) await end(name);
  expect(await Promise.all([running, waiting[0], waiting[1], ...others])).toHaveLength(6);
  expect(queue.size).toBe(0);
});

test('a large body takes the room of many requests', async () => {
  const { add, end } = makeQueue({ waitingOfOwner: 70 });
  const running = add('a', 'first');
  const large = add('a', 'large', { size: sizeOfBody(1024 * 1024) });
  await expect(add('a', 'second', { size: sizeOfBody(1024 * 1024) })).rejects.toMatchObject(overloaded);
  for (const name of ['first', 'large']) await end(name);
  await Promise.all([running, large]);
});

test('work that is aborted while it waits never begins, and work that has begun ends', async () => {
  const { queue, begun, add, end } = makeQueue({});
  const [gone, late] = [new AbortController(), new AbortController()];
  const running = add('a', 'running', { signal: late.signal });
  const waiting = add('a', 'waiting', { signal: gone.signal });
  gone.abort();
  late.abort();
  await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
  await expect(add('a', 'never', { signal: gone.signal })).rejects.toMatchObject({ name: 'AbortError' });
  expect(queue.size).toBe(0);
  await end('running');
  expect(await running).toBe('running');
  expect(begun).toEqual(['running']);
});

test('a request that has waited for too long, in one line or in several, is refused, and nothing else is', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const [first, second] = [makeQueue({}), makeQueue({})];
  const ends = [first.add('a', 'keeps its turn'), second.add('a', 'keeps its turn')];
  const outcomes: Record<string, unknown> = {};
  const request = (name: string, { headersSent }: { headersSent: boolean }, wait: () => Promise<unknown>) =>
    answerOn({}, { headersSent, writableFinished: false, req: { complete: true } }, () => {
      wait().then(
        () => Object.assign(outcomes, { [name]: 'done' }),
        (error) => Object.assign(outcomes, { [name]: error }),
      );
    });
  const res = { headersSent: false };
  request('in one', res, () => second.add('b', 'in one'));
  request('in several', res, async () => {
    await first.queue.run({ owner: 'b' }, async () => undefined);
    await second.add('b', 'in several');
  });
  request('begun', { headersSent: true }, () => second.add('b', 'begun'));
  request('patient', { headersSent: false }, () => {
    keepWaiting();
    return second.add('b', 'patient');
  });
  const job = second.add('b', 'job');
  await vi.advanceTimersByTimeAsync(maxWaitMs / 2);
  await first.end('keeps its turn');
  await vi.advanceTimersByTimeAsync(maxWaitMs / 2 - 100);
  expect(outcomes).toEqual({});
  await vi.advanceTimersByTimeAsync(200);
  expect(outcomes).toMatchObject({ 'in one': overloaded, 'in several': overloaded });
  await vi.advanceTimersByTimeAsync(maxWaitMs);
  expect(second.queue.size).toBe(3);
  for (const name of ['keeps its turn', 'begun', 'patient', 'job']) await second.end(name);
  expect(await Promise.all([...ends, job])).toEqual(['keeps its turn', 'keeps its turn', 'job']);
  expect(second.begun).toEqual(['keeps its turn', 'begun', 'patient', 'job']);
});
