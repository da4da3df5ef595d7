import { afterEach, expect, it, vi } from 'vitest';
import { BatchTurns } from '@/server/delivery/queue/batches';

afterEach(() => {
  vi.useRealTimers();
});

it('a short queue goes before long ones that take turns all the time', async () => {
  const turns = new BatchTurns();
  const order: string[] = [];
  let shortWaits = () => {};
  const short = new Promise<void>((resolve) => {
    shortWaits = resolve;
  });
  const change = (projectId: string, batches: number) =>
    Array.from({ length: batches }, () =>
      turns.run({ owner: projectId }, async () => {
        order.push(projectId);
        if (order.length === 4) shortWaits();
        await new Promise((resolve) => setImmediate(resolve));
        return { full: false };
      }),
    );
  const long = [...change('one', 20), ...change('other', 20)];
  await short;
  // One batch after another, as of one queue.
  for (let batch = 0; batch < 2; batch += 1) await Promise.all(change('short', 1));
  expect(order.slice(0, 6)).toEqual(['one', 'other', 'one', 'other', 'short', 'short']);
  await Promise.all(long);
  expect(order).toHaveLength(42);
});

it('a long queue rests as long as its batches took, and a short one waits for no rest', async () => {
  vi.useFakeTimers();
  const turns = new BatchTurns();
  const changed: string[] = [];
  const change = (projectId: string, count: number) =>
    Array.from({ length: count }, () =>
      turns.run({ owner: projectId }, async () => {
        await new Promise((resolve) => setTimeout(resolve, 10));
        changed.push(projectId);
        return { full: true };
      }),
    );
  const long = change('long', 14);
  // The first twelve take a tenth of a second, and so does the rest behind them.
  await vi.advanceTimersByTimeAsync(200);
  expect(changed).toHaveLength(12);
  const short = change('short', 2);
  await vi.advanceTimersByTimeAsync(30);
  expect(changed.slice(12)).toEqual(['short', 'short']);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(changed.slice(14)).toEqual(['long', 'long']);
  await Promise.all([...long, ...short]);
});

it('many projects of one person are one of the others, and take turns in that', async () => {
  const turns = new BatchTurns();
  const order: string[] = [];
  const change = (owner: string, project: string) =>
    turns.run({ owner, caller: ['account', project] }, async () => {
      order.push(project);
      return { full: false };
    });
  const batches = ['a', 'b', 'c', 'd', 'a'].map((project) => change('one', project));
  await Promise.all([...batches, change('other', 'e'), change('other', 'e')]);
  expect(order).toEqual(['a', 'e', 'b', 'e', 'c', 'd', 'a']);
});
