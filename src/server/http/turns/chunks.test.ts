import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { chunksInTurn } from './chunks';

async function* file(chunks: number) {
  for (let chunk = 0; chunk < chunks; chunk += 1) yield chunk;
}

/** Reads a file as fast as it comes. @returns how many rounds of the event loop others had meanwhile */
async function roundsOf(address: string, chunks: number): Promise<number> {
  let rounds = 0;
  let isDone = false;
  const count = async () => {
    while (!isDone) {
      await setImmediate();
      rounds += 1;
    }
  };
  const counting = count();
  for await (const _chunk of chunksInTurn(file(chunks), address));
  isDone = true;
  await counting;
  return rounds;
}

test('a machine that reads hundreds of files gets few chunks in a round, and another network its own at once', async () => {
  const many = Promise.all(Array.from({ length: 300 }, () => roundsOf('198.51.100.1', 2)));
  expect(await roundsOf('203.0.113.1', 5)).toBeLessThan(20);
  expect(Math.max(...(await many))).toBeGreaterThanOrEqual(300);
});

test('readers that stand still hold no turn', async () => {
  const still = Array.from({ length: 300 }, () => chunksInTurn(file(2), '198.51.100.1'));
  for (const reader of still) expect(await reader.next()).toEqual({ value: 0, done: false });
  expect(await roundsOf('198.51.100.1', 5)).toBeLessThan(20);
  for (const reader of still) await reader.return(undefined);
});
