import type { ServerResponse } from 'node:http';
import { networkOf } from '@/domain/network/address-ranges';
import { closing } from '@/server/http/exchange';
import { FairQueue } from '@/server/worker/fair-queue';

/**
 * Pages that are rendered at a time, in all and for a network. A page takes the thread in pieces of up to 50 milliseconds, and
 * whatever else the process has to do waits for a piece of each. More at a time would not be done sooner.
 */
const turns = new FairQueue({ running: 6, runningOfOwner: 3, waiting: 4_000, waitingOfOwner: 1_000 });

/** Milliseconds after which a page passes its turn on in any case: it waits for something else than the thread. */
const turnMs = 1_000;
const checkMs = 100;

/** Resolves when a page needs the thread no more, or waits for its reader or for long. */
function givesWay(res: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const check = setInterval(() => {
      if (res.writableEnded || res.writableNeedDrain) done();
    }, checkMs);
    const timer = setTimeout(done, turnMs);
    function done() {
      clearInterval(check);
      clearTimeout(timer);
      resolve();
    }
    if (res.closed) done();
    else res.once('close', done);
  });
}

/**
 * Renders a page when it is the turn of its network: somebody who asks for hundreds holds up neither the API nor the pages of
 * others for longer than a few take. Does nothing when the client goes before that.
 * @param address the caller's
 * @throws OVERLOADED when too many wait
 */
export async function renderInTurn(
  res: ServerResponse,
  address: string,
  render: () => void | Promise<void>,
): Promise<void> {
  const signal = closing(res);
  let rendered: unknown;
  const begin = async () => {
    rendered = render();
    await Promise.race([rendered, givesWay(res)]);
  };
  await turns.run({ owner: networkOf(address), signal }, begin).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  await rendered;
}
