import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** Milliseconds that a request waits for turns, all of them together: proxies give a server up that has not begun to answer after 60 seconds. */
export const maxWaitMs = 45_000;

/** What is being done: for how many turns it waits, since when, how long it did before, and who wants to know. */
type Work = { turns: number; since: number; waitedMs: number; onChange?: (isWaiting: boolean) => void };
type Request = Work & {
  res: Pick<ServerResponse, 'headersSent' | 'writableFinished'> & { req: Pick<IncomingMessage, 'complete'> };
  keepsWaiting?: boolean;
};

const store = new AsyncLocalStorage<Work | Request>();
/** The request of each connection. */
const requests = new WeakMap<object, Request>();

/** Answers a request of a connection, so that it is known while it waits for a turn. */
export function answerOn(connection: object, res: Request['res'], answer: () => void): void {
  const request = { res, turns: 0, since: 0, waitedMs: 0 };
  requests.set(connection, request);
  store.run(request, answer);
}

/** Has the request for which this is called wait for its turns however long they take. */
export function keepWaiting(): void {
  const work = store.getStore();
  if (work && 'res' in work) work.keepsWaiting = true;
}

/** Does work, and says when it begins and ends to wait for turns. */
export function watchWaiting<Result>(
  onChange: (isWaiting: boolean) => void,
  work: () => Promise<Result>,
): Promise<Result> {
  return store.run({ turns: 0, since: 0, waitedMs: 0, onChange }, work);
}

/**
 * Takes note that the work for which this is called waits for a turn, if it is watched.
 * @param giveUp called when it is a request that has waited for too long, and its response has not begun
 * @returns what ends that
 */
export function beginWaiting(giveUp?: () => void): () => void {
  const work = store.getStore();
  if (!work) return () => undefined;
  work.turns += 1;
  if (work.turns === 1) {
    work.since = performance.now();
    work.onChange?.(true);
  }
  const mayGiveUp = 'res' in work && !work.keepsWaiting && !work.res.headersSent;
  const timer = giveUp && mayGiveUp ? setTimeout(expire, leftMs(work), work.res, giveUp) : undefined;
  return () => {
    clearTimeout(timer);
    work.turns -= 1;
    if (work.turns > 0) return;
    work.waitedMs += performance.now() - work.since;
    work.onChange?.(false);
  };
}

/** Milliseconds that work may still wait for turns. */
function leftMs({ since, waitedMs }: Work): number {
  return Math.max(0, maxWaitMs - waitedMs - (performance.now() - since));
}

function expire(res: Request['res'], giveUp: () => void): void {
  if (!res.headersSent) giveUp();
}

/** For how long the request of a connection has waited for a turn; null while it does not, or its response has begun. */
export function waitedForTurn(connection: object, now: number): number | null {
  const request = requests.get(connection);
  return !request || request.turns === 0 || request.res.headersSent ? null : now - request.since;
}

/** Whether a response can be sent on a connection: none has begun, or the last one is over, and so is its request. */
export function mayAnswer(connection: object): boolean {
  const res = requests.get(connection)?.res;
  return !res?.headersSent || (res.writableFinished && res.req.complete);
}
