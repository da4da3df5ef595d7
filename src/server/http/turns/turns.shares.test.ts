import { expect, test } from 'vitest';
import { originOf } from '@/domain/network/address-ranges';
import { spendShare, wantThread } from '@/server/worker/thread-share';
import { chunksInTurn } from './chunks';
import { beginInTurn, changeInTurn, forwardInTurn, readInTurn, reportInTurn } from './turns';

async function* fileOf(chunk: string) {
  yield chunk;
}

test('whatever somebody who has had their share asks for waits while others want the thread', async () => {
  const begun: string[] = [];
  const ask = (ip: string) => {
    const note = async (kind: string) => void begun.push(`${kind} ${ip}`);
    return Promise.all([
      beginInTurn(ip, () => void note('request'), new AbortController().signal),
      readInTurn({ ip, caller: '' }, () => note('read')),
      readInTurn({ ip, caller: '', project: ['block', 'account', `project of ${ip}`] }, () => note('read with a key')),
      changeInTurn({ ip, caller: '' }, () => note('change')),
      reportInTurn({ ip, caller: '' }, 0, () => note('report')),
      forwardInTurn(ip, () => note('upload'), new AbortController().signal),
      chunksInTurn(fileOf('chunk'), ip)
        .next()
        .then(() => note('chunk')),
    ]);
  };
  const [spent, other] = ['203.0.113.1', '198.51.100.1'];
  const ends: (() => void)[] = [];
  const keepOn = () => {
    spendShare(originOf(spent), 400);
    ends.push(wantThread(originOf('192.0.2.1')));
  };
  // In each round, since a part of a share is given back in time, a request counts for a moment only, and the thread must not be idle.
  const timer = setImmediate(function keepOnAgain() {
    keepOn();
    timers.push(setImmediate(keepOnAgain));
  });
  const timers = [timer];
  keepOn();
  const held = ask(spent);
  await ask(other);
  const early = begun.filter((each) => each.endsWith(spent));
  for (const each of timers) clearImmediate(each);
  for (const end of ends) end();
  await held;
  // What comes with a key takes turns of its project's block, and its request has waited before.
  expect(early).toEqual([`read with a key ${spent}`]);
  expect(begun).toHaveLength(14);
});
