import { performance } from 'node:perf_hooks';
import { expect, test } from 'vitest';
import { doPiece } from './pieces';

function busy(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until; );
}

test('costly pieces are done one in a round of the event loop, and owners take turns', async () => {
  let [round, ended] = [0, false];
  const count = () => {
    round += 1;
    if (!ended) setImmediate(count);
  };
  count();
  const done: [string, number][] = [];
  const piece = (owner: string, ms: number) =>
    doPiece(owner, () => {
      busy(ms);
      done.push([owner, round]);
    });
  await Promise.all([...Array(4).fill('a'), 'b', 'b'].map((owner) => piece(owner, 2)));
  expect(done.map(([owner]) => owner)).toEqual(['a', 'a', 'b', 'a', 'b', 'a']);
  expect(new Set(done.map(([, at]) => at)).size).toBe(6);
  await expect(doPiece('a', () => JSON.parse('{'))).rejects.toThrow(SyntaxError);
  expect(await doPiece('a', () => 'next')).toBe('next');
  ended = true;
});
