import { expect, test } from 'vitest';
import { FairQueue } from './fair-queue';
import { ShareGate } from './share-gate';

/** A queue whose owners may use what they share for a moment at once, and for none of the time in the long run. */
function makeLine() {
  const gate = new ShareGate({ atOnceMs: 100, share: 0 });
  const queue = new FairQueue({ running: [1], waiting: 100, waitingOfOwner: 100, gate });
  const done: string[] = [];
  const run = (owner: string, ms = 0) =>
    gate.wantFor(owner, () =>
      queue.run({ owner }, async () => {
        gate.spend(owner, ms);
        done.push(owner);
      }),
    );
  return { gate, run, done };
}

test('whoever has had their share is let in while nobody else comes', async () => {
  const { gate, run, done } = makeLine();
  gate.spend('a', 1_000);
  await run('a');
  await run('a');
  expect(done).toEqual(['a', 'a']);
});

test('whoever has had their share waits while others come who have had less', async () => {
  const { gate, run, done } = makeLine();
  gate.spend('a', 1_000_000);
  await run('b', 10_000);
  const waiting = run('a');
  for (let count = 0; count < 5; count += 1) await run('b', 10_000);
  expect(done).toEqual(Array(6).fill('b'));
  gate.spend('a', -1_000_000);
  await waiting;
  expect(done.at(-1)).toBe('a');
});

test('whoever has had their share goes on when others have not come for ten times as long as they used it', async () => {
  const { gate, run, done } = makeLine();
  gate.spend('a', 1_000);
  await run('b', 10);
  await run('a');
  expect(done).toEqual(['b', 'a']);
});

test('of two who have had their share, the one who has had more waits for the other', async () => {
  const { gate, run, done } = makeLine();
  gate.spend('b', 5_000);
  gate.spend('a', 1_000_000);
  const waiting = run('a');
  await run('b', 1_000);
  expect(done).toEqual(['b']);
  gate.spend('a', -999_000);
  await waiting;
  expect(done).toEqual(['b', 'a']);
});
