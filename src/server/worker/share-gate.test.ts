import { expect, test } from 'vitest';
import { FairQueue } from './fair-queue';
import { ShareGate } from './share-gate';

/** A queue whose owners may use what they share for a moment at once, and for none of the time in the long run. */
function makeLine(latelyMs: number) {
  const gate = new ShareGate({ atOnceMs: 100, share: 0 }, latelyMs);
  const queue = new FairQueue({ running: [1], waiting: 100, waitingOfOwner: 100, gate });
  const done: string[] = [];
  const run = (owner: string) => gate.wantFor(owner, () => queue.run({ owner }, async () => void done.push(owner)));
  return { gate, run, done };
}

test('whoever has had their share is let in while nobody else comes', async () => {
  const { gate, run, done } = makeLine(60_000);
  gate.spend('a', 1_000);
  await run('a');
  await run('a');
  expect(done).toEqual(['a', 'a']);
});

test('whoever has had their share waits while others come', async () => {
  const { gate, run, done } = makeLine(60_000);
  gate.spend('a', 1_000);
  await run('b');
  const waiting = run('a');
  for (let count = 0; count < 5; count += 1) await run('b');
  expect(done).toEqual(Array(6).fill('b'));
  gate.spend('a', -1_000);
  await waiting;
  expect(done.at(-1)).toBe('a');
});

test('whoever has had their share goes on when others have not come for a while', async () => {
  const { gate, run, done } = makeLine(200);
  gate.spend('a', 1_000);
  await run('b');
  await run('a');
  expect(done).toEqual(['b', 'a']);
});
