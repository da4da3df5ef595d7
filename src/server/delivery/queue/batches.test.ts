import { expect, it } from 'vitest';
import { BatchTurns } from '@/server/delivery/queue/batches';

it('a short queue goes before long ones that take turns all the time', async () => {
  const turns = new BatchTurns();
  const order: string[] = [];
  let shortWaits = () => {};
  const short = new Promise<void>((resolve) => {
    shortWaits = resolve;
  });
  const change = (projectId: string, batches: number) =>
    Array.from({ length: batches }, () =>
      turns.run(projectId, async () => {
        order.push(projectId);
        if (order.length === 4) shortWaits();
        await new Promise((resolve) => setImmediate(resolve));
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
