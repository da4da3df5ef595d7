import { AsyncLocalStorage } from 'node:async_hooks';
import type { ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';

/** What is being done: for how many turns it waits, since when, and who wants to know. */
type Work = { turns: number; since: number; onChange?: (isWaiting: boolean) => void };
type Request = Work & { res: Pick<ServerResponse, 'headersSent'> };

const store = new AsyncLocalStorage<Work>();
/** The request of each connection. */
const requests = new WeakMap<object, Request>();

/** Answers a request of a connection, so that it is known while it waits for a turn. */
export function answerOn(connection: object, res: ServerResponse, answer: () => void): void {
  const request = { res, turns: 0, since: 0 };
  requests.set(connection, request);
  store.run(request, answer);
}

/** Does work, and says when it begins and ends to wait for turns. */
export function watchWaiting<Result>(
  onChange: (isWaiting: boolean) => void,
  work: () => Promise<Result>,
): Promise<Result> {
  return store.run({ turns: 0, since: 0, onChange }, work);
}

/** Takes note that the work for which this is called waits for a turn, if it is watched. @returns what ends that */
export function beginWaiting(): () => void {
  const work = store.getStore();
  if (!work) return () => undefined;
  work.turns += 1;
  if (work.turns === 1) {
    work.since = performance.now();
    work.onChange?.(true);
  }
  return () => {
    work.turns -= 1;
    if (work.turns === 0) work.onChange?.(false);
  };
}

/** For how long the request of a connection has waited for a turn; null while it does not, or its response has begun. */
export function waitedForTurn(connection: object, now: number): number | null {
  const request = requests.get(connection);
  return !request || request.turns === 0 || request.res.headersSent ? null : now - request.since;
}
