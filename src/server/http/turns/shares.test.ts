import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { occupy } from '@/test/processor';
import { receiveInTurn } from './bodies';
import { spendThread, wantThread } from './shares';
import { beginInTurn, changeInTurn, forwardInTurn, readInTurn, reportInTurn } from './turns';

let blocks = 0;
/** An address of a block of its own, whose requests have had the thread for so long. */
function addressWith(ms: number): string {
  blocks += 1;
  const ip = `203.0.${blocks}.1`;
  spendThread(`203.0.${blocks}/24`, ms);
  return ip;
}

/** Uses the thread until something has happened. */
async function stayBusyUntil(hasHappened: () => boolean): Promise<void> {
  while (!hasHappened()) {
    occupy(2);
    await setImmediate();
  }
}

const { signal } = new AbortController();
const body = Buffer.alloc(20_000);
/** Each kind of request, from an address. */
const kinds: [string, (ip: string, work: () => Promise<void>) => unknown][] = [
  ['requests', (ip, work) => beginInTurn(ip, work, signal)],
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
    const done: string[] = [];
    const endWanting = wantThread('another');
    const asked = ([name, ip]: [string, string]) => ask(ip, async () => void done.push(name));
    void asked(['heavy', addressWith(100_000)]);
    void asked(['light', addressWith(100)]);
    await stayBusyUntil(() => done.length > 0);
    expect(done).toEqual(['light']);
    endWanting();
    await expect.poll(() => done.length).toBe(2);
  },
);

test('they do not wait where nobody else wants it, or nothing uses it, and for no longer than it takes to be below the share', async () => {
  const [alone, beside, later] = [addressWith(100_000), addressWith(100_000), addressWith(100_000)];
  const own = wantThread('203.0.0/24');
  own();
  await readInTurn({ ip: alone, caller: '' }, async () => undefined);
  const endWanting = wantThread('another');
  await readInTurn({ ip: beside, caller: '' }, async () => undefined);
  let read = false;
  void readInTurn({ ip: later, caller: '' }, async () => {
    read = true;
  });
  await stayBusyUntil(() => read);
  endWanting();
});

test.each([
  ['reads', readInTurn],
  ['changes', changeInTurn],
])('what a block %s counts for all of its accounts', async (_, ask) => {
  const ip = addressWith(0);
  await ask({ ip, caller: 'usr_one' }, async () => occupy(500));
  const endWanting = wantThread('another');
  const done: string[] = [];
  void readInTurn({ ip, caller: 'usr_next' }, async () => void done.push('own'));
  void readInTurn({ ip: addressWith(0), caller: 'usr_next' }, async () => void done.push('light'));
  await stayBusyUntil(() => done.length > 0);
  expect(done).toEqual(['light']);
  endWanting();
  await expect.poll(() => done.length).toBe(2);
});
