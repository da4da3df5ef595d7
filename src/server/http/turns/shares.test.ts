import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { occupy } from '@/test/processor';
import { receiveInTurn } from './bodies';
import { inShare, shareOfEach, spendThread, wantThread } from './shares';
import { changeInTurn, forwardInTurn, readInTurn, reportInTurn } from './turns';

let blocks = 0;
/** An address of a block of its own, and that block. */
function someone(): { ip: string; block: string } {
  blocks += 1;
  return { ip: `203.0.${blocks}.1`, block: `203.0.${blocks}/24` };
}

/** Has everything begin that may now. */
async function settle(): Promise<void> {
  for (let round = 0; round < 50; round += 1) await setImmediate();
}

const { signal } = new AbortController();
const body = Buffer.alloc(20_000);
/** Each kind of request, from an address. */
const kinds: [string, (ip: string, work: () => Promise<void>) => Promise<unknown>][] = [
  ['reads', (ip, work) => readInTurn({ ip, caller: '' }, work)],
  ['reads with a key', (ip, work) => readInTurn({ ip, caller: '', project: `prj_${ip}` }, work)],
  ['changes', (ip, work) => changeInTurn({ ip, caller: '' }, work)],
  ['reports', (ip, work) => reportInTurn({ ip, caller: 'usr_a' }, 100, work)],
  ['uploads', (ip, work) => forwardInTurn(ip, work, signal)],
  ['bodies', (ip, work) => receiveInTurn({ ip, declared: body.length }, async () => body).then(work)],
];

test.each(kinds)(
  '%s of a block that has had more than its share wait while another wants the thread',
  async (_, ask) => {
    const [heavy, light] = [someone(), someone()];
    spendThread(heavy.block, 100_000);
    wantThread(light.block);
    const done: string[] = [];
    const asked = [heavy, light].map(({ ip, block }) => ask(ip, async () => void done.push(block)));
    await Promise.all(asked);
    expect(done).toEqual([light.block, heavy.block]);
  },
);

test('each has all that others leave, however many they are, and an equal part where they want as much', () => {
  expect(shareOfEach([])).toBe(1);
  expect(shareOfEach([3])).toBe(1);
  expect(shareOfEach([3, ...Array.from({ length: 20 }, () => 0.01)])).toBeCloseTo(0.8);
  expect(shareOfEach([3, 3])).toBe(0.5);
  expect(shareOfEach([3, 2, 0.1])).toBeCloseTo(0.45);
  const part = fc.double({ min: 0, max: 3, noNaN: true });
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 30 }), (wanted) => {
      const share = shareOfEach(wanted);
      const given = wanted.reduce((sum, one) => sum + Math.min(one, share), 0);
      expect(share).toBeGreaterThanOrEqual(1 / wanted.length - 1e-9);
      expect(given).toBeLessThanOrEqual(1 + 1e-9);
      if (wanted.some((one) => one > share)) expect(given).toBeCloseTo(1);
    }),
  );
});

test('of those of a block that come at once, so many begin as its share has room for', async () => {
  const [crowd, other] = [someone(), someone()];
  wantThread(other.block);
  let begun = 0;
  const ends: (() => void)[] = [];
  const all = Array.from({ length: 20 }, () =>
    inShare(crowd.block, 50, () => {
      begun += 1;
      return new Promise<void>((resolve) => ends.push(resolve));
    }),
  );
  await settle();
  expect(begun).toBe(7);
  const asked = all.length;
  while (ends.length < asked || begun < asked) {
    for (const end of ends) end();
    await setImmediate();
  }
  for (const end of ends) end();
  await Promise.all(all);
});

test('what is done in a share has no part of it beside', async () => {
  const [page, other] = [someone(), someone()];
  wantThread(other.block);
  const read = await inShare(page.block, 50, () => {
    spendThread(page.block, 100_000);
    return inShare(page.block, 5, async () => 'read');
  });
  expect(read).toBe('read');
});

test.each([
  ['reads', readInTurn],
  ['changes', changeInTurn],
])('what a block %s counts for all of its accounts', async (_, ask) => {
  const [own, light] = [someone(), someone()];
  await ask({ ip: own.ip, caller: 'usr_one' }, async () => occupy(600));
  wantThread(light.block);
  const done: string[] = [];
  await Promise.all(
    [own, light].map(({ ip }) => readInTurn({ ip, caller: 'usr_next' }, async () => void done.push(ip))),
  );
  expect(done).toEqual([light.ip, own.ip]);
});
