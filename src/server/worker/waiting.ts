import { AsyncLocalStorage } from 'node:async_hooks';
import type { ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';

/** A request that is being answered: for how many turns it waits, and since when. */
type Request = { res: Pick<ServerResponse, 'headersSent'>; turns: number; since: number };

const store = new AsyncLocalStorage<Request>();
/** The request of each connection. */
const requests = new WeakMap<object, Request>();

/** Answers a request of a connection, so that it is known while it waits for a turn. */
export function answerOn(connection: object, res: ServerResponse, answer: () => void): void {
  const request = { res, turns: 0, since: 0 };
  requests.set(connection, request);
  store.run(request, answer);
}

/** Takes note that the request for which this is called waits for a turn, if it is for one. @returns what ends that */
export function beginWaiting(): () => void {
  const request = store.getStore();
  if (!request) return () => undefined;
  if (request.turns === 0) request.since = performance.now();
  request.turns += 1;
  return () => {
    request.turns -= 1;
  };
}

/** For how long the request of a connection has waited for a turn; null while it does not, or its response has begun. */
export function waitedForTurn(connection: object, now: number): number | null {
  const request = requests.get(connection);
  return !request || request.turns === 0 || request.res.headersSent ? null : now - request.since;
}
