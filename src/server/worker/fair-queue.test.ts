import { expect, test } from 'vitest';
import { FairQueue } from './fair-queue';

/** A queue, and what it has begun, by name; each piece of work ends when the test ends it. */
function makeQueue(limits: { running: number; runningOfOwner: number }) {
  const queue = new FairQueue(limits);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const add = (owner: string, name: string) =>
    queue.run(owner, async () => {
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
  const { begun, add, end } = makeQueue({ running: 1, runningOfOwner: 1 });
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
  const { begun, add, end } = makeQueue({ running: 3, runningOfOwner: 2 });
  const all = [add('a', 'a1'), add('a', 'a2'), add('a', 'a3'), add('b', 'b1')];
  await end('');
  expect(begun).toEqual(['a1', 'a2', 'b1']);
  for (const name of ['b1', 'a1', 'a2', 'a3']) await end(name);
  expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'b1']);
});

test('work that fails makes room', async () => {
  const { queue } = makeQueue({ running: 1, runningOfOwner: 1 });
  await expect(queue.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await queue.run('a', async () => 'done')).toBe('done');
});
