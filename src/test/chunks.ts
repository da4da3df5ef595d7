import { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { vi } from 'vitest';

/** The most chunks that were sent in a round of the event loop, of files whose paths match, while something was done. */
export async function mostSentInRound(paths: RegExp, work: () => Promise<unknown>): Promise<number> {
  let [most, sent, isDone] = [0, 0, false];
  const { write } = ServerResponse.prototype;
  const writing = vi.spyOn(ServerResponse.prototype, 'write').mockImplementation(function (
    this: ServerResponse,
    ...what: unknown[]
  ) {
    // The store runs in this process too.
    if (paths.test(this.req.url ?? '')) sent += 1;
    return Reflect.apply(write, this, what);
  });
  const count = async () => {
    while (!isDone) {
      await setImmediate();
      most = Math.max(most, sent);
      sent = 0;
    }
  };
  const counting = count();
  await work();
  isDone = true;
  await counting;
  writing.mockRestore();
  return most;
}
