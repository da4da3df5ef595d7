import type { ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause, setImmediate } from 'node:timers/promises';
import { originOf, stepsOf, turnOf } from '@/domain/network/address-ranges';
import { type ProjectSteps, turnOfCaller } from '@/server/events/project-turn';
import { closing } from '@/server/http/exchange';
import { atPace, type Payment } from '@/server/http/turns/pace';
import { Places } from '@/server/http/turns/places';
import { leaveThread } from '@/server/http/turns/thread';
import { FairQueue, sizeOfBody, type Turn } from '@/server/worker/fair-queue';
import { letConnectionsIn } from '@/server/worker/new-connections';
import { gateOf, wantThread } from '@/server/worker/thread-share';

/**
 * What a request takes of the thread besides its turns, in milliseconds: to parse it, check its credentials and write the answer. Who is
 * refused takes no further turn, and yet a flood of them takes the whole thread.
 */
const aroundMs = 0.5;

/**
 * Requests that begin in a round of the event loop. Otherwise all that have arrived begin in one, and each of the several
 * rounds that a request of somebody else takes waits for three hundred.
 */
const beginnings = new FairQueue({
  running: [64, 12, 8],
  gate: gateOf(0.3, 1 / 8, aroundMs),
  waiting: 65_536,
  waitingOfOwner: 16_384,
});

/**
 * Pages that are rendered at a time, in all, of a block and of a site, and those that may not have ended. A page takes the thread in
 * pieces of up to 50 milliseconds, and whatever else the process has to do waits for a piece of each. More at a time would not
 * be done sooner. Many more may not have ended: Next.js keeps what it has rendered of a page until its reader has taken it.
 */
const unfinished = [512, 64, 48];
const pages = new FairQueue({
  running: [6, 3, 2],
  unfinished,
  gate: gateOf(30, 4),
  waiting: 4_000,
  waitingOfOwner: 1_000,
});
const places = new Places(unfinished);

/**
 * While anything else wants the thread, no page of a block begins for as long again as one took, up to so long: requests to
 * receivers of webhooks take several rounds of the event loop each.
 */
const maxPageRestMs = 150;

/**
 * Reads that use the database at a time. All statements that wait for a connection stand in one line, and a read has up to
 * two: those of one network must not need every connection.
 */
const reads = new FairQueue({ running: [32, 5, 4], gate: gateOf(3, 2), waiting: 8_000, waitingOfOwner: 2_000 });

/**
 * The same for changes, those that are refused too. Those of one tournament wait for each other, each with a connection of the
 * database, so that more of a network would leave others none; they would not be made sooner.
 */
export const changesOfNetwork = 4;
export const changesOfCaller = 2;
const changes = new FairQueue({
  running: [16, 5, changesOfNetwork, changesOfNetwork, changesOfCaller],
  gate: gateOf(5),
  waiting: 8_000,
  waitingOfOwner: 4_000,
});

/**
 * As how much a change counts that few statements write together with others: 500 players of a venue who register at once
 * wait for half a second, and for a third of one without turns.
 */
const batchedChange = 1 / 8;

/**
 * Requests of anti-cheat clients that are handled at a time, in all, of a block, site and network, and of an account with all of its
 * clients. Shared statements write them, 250 at a time, so that a venue of many players may have many, and takes no changes' turns.
 */
export const reportsOfCaller = 4;
const reports = new FairQueue({
  running: [256, 128, 128, 128, reportsOfCaller],
  gate: gateOf(1),
  waiting: 16_000,
  waitingOfOwner: 8_000,
});

/** What such a request takes of the thread, and of the database beside: a millisecond, and another one for so many bytes of its body. */
const reportedPerMs = 2 * 1024;

/** What is forwarded to the store at a time: each is a request of ours as well, and an upload is written to the disk. */
const forwards = new FairQueue({
  running: [64, 12, 8],
  gate: gateOf(1, 1 / 8),
  waiting: 8_000,
  waitingOfOwner: 2_000,
});

/**
 * Milliseconds after which work passes its turn on in any case: it waits for something else than what turns share. Reads of
 * a project with very much to count take a second where several are made at a time. What is forwarded waits for the bytes of
 * its client, and costs little meanwhile.
 */
const turnMs = { page: 1_000, read: 5_000, change: 5_000, report: 5_000, forward: 250 };
const checkMs = 100;

/**
 * Changes and reports of a block that may go on for long without a turn. One that waits for a row of the database keeps a connection
 * meanwhile, and those of a block must not take them all; the others keep their turns until they end.
 */
const maxLateChanges = 2;
const lateChanges = new Map<string, number>();

function goesOnLate(owner: string, work: Promise<unknown>): boolean {
  const count = lateChanges.get(owner) ?? 0;
  if (count >= maxLateChanges) return false;
  lateChanges.set(owner, count + 1);
  const end = () => {
    const left = (lateChanges.get(owner) ?? 1) - 1;
    if (left > 0) lateChanges.set(owner, left);
    else lateChanges.delete(owner);
  };
  work.then(end, end);
  return true;
}

/** Resolves when the work is done, or waits for the reader of its response, or for long if `mayGoOn`. */
function givesWay(
  work: Promise<unknown>,
  ms: number,
  res: ServerResponse | undefined,
  mayGoOn: () => boolean = () => true,
): Promise<void> {
  return new Promise((resolve) => {
    const check = res && setInterval(() => void ((res.writableEnded || res.writableNeedDrain) && done()), checkMs);
    const timer = setTimeout(() => void (mayGoOn() && done()), ms);
    function done() {
      clearInterval(check);
      clearTimeout(timer);
      resolve();
    }
    work.then(done, done);
  });
}

function inTurn<Result>(queue: FairQueue, turn: Turn, ms: number, work: () => Promise<Result>): Promise<Result> {
  const begin = async () => {
    await letConnectionsIn();
    return work();
  };
  return queue.run(turn, begin, async (begun) => {
    const mayHoldRows = queue === changes || queue === reports;
    await givesWay(begun, ms, undefined, () => !mayHoldRows || goesOnLate(turn.owner, begun));
    // Work that waits for nothing from outside would be done for all who wait before anything else of the process is.
    await setImmediate();
  });
}

/**
 * Begins to handle a request when it is the turn of its network, whatever it asks for.
 * @throws OVERLOADED when too many wait, and the signal's reason when the client has gone before that: those of a network that is
 *   full are closed for others, which must not wait for them
 */
export function beginInTurn(address: string, begin: () => void, signal: AbortSignal): Promise<void> {
  const turn = { ...turnOf(address), signal };
  const end = wantThread(originOf(address));
  if (signal.aborted) end();
  signal.addEventListener('abort', end, { once: true });
  return beginnings.run(turn, async () => {
    begin();
    await setImmediate();
    await letConnectionsIn();
  });
}

/**
 * Pages of the API reference, of which a block has one at a time. It takes the thread for a tenth of a second, counts as so many pages,
 * and the next one begins after so many times as long as it took. Other pages do not wait for that.
 */
const reference = { weight: 3, rest: 3 };
const references = new FairQueue({ running: [2, 1], waiting: 4_000, waitingOfOwner: 1_000 });

/** Until when no page of a block begins. */
const resting = new Map<string, Promise<void>>();

async function rested(owner: string): Promise<void> {
  while (resting.has(owner)) {
    await resting.get(owner);
    // Of those that waited, the first may have had the thread in this round.
    await setImmediate();
  }
}

/** Has no page of a block begin for as long again as one took. */
function rest(owner: string, tookMs: number): void {
  const left = leaveThread(Math.min(tookMs, maxPageRestMs)).then(() => {
    if (resting.get(owner) === left) resting.delete(owner);
  });
  resting.set(owner, left);
}

/**
 * Renders a page when it is the turn of its network, and there of the caller: somebody who asks for hundreds holds up neither the
 * API nor the pages of others for longer than a few take, nor has more than some of them kept for readers who stand still. Does
 * nothing when the client goes before that.
 * @param isReference whether it is a page of the API reference
 * @throws OVERLOADED when too many wait
 */
export async function renderInTurn(
  res: ServerResponse,
  { ip, caller }: Asker,
  render: () => void | Promise<void>,
  isReference = false,
): Promise<void> {
  const signal = closing(res);
  const { owner, caller: network } = turnOf(ip);
  const turn = { owner, caller: [...network, caller], signal };
  const path = [owner, ...turn.caller];
  const closed = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  let began: (page: { at: number; rendered: Promise<void> }) => void = () => undefined;
  const begin = new Promise<Parameters<typeof began>[0]>((resolve) => {
    began = resolve;
  });
  const work = async () => {
    await letConnectionsIn();
    await rested(owner);
    const at = performance.now();
    const rendered = (async () => render())();
    began({ at, rendered });
    const end = places.take(path, { res, at });
    try {
      // Next.js drops what it keeps of a page whose client has gone.
      await Promise.race([rendered, closed]);
    } finally {
      end();
    }
  };
  const untilGivesWay = async () => {
    const since = performance.now();
    const { at, rendered } = await begin;
    const ms = Math.max(maxPageRestMs, turnMs.page - (at - since));
    await givesWay(rendered, ms, res);
    // Whether or not it has ended: one that waits for its reader would never let others have the thread.
    rest(owner, performance.now() - at);
    await setImmediate();
  };
  const page = async () => {
    const endWaiting = places.wait(path);
    void begin.then(endWaiting);
    await pages.run({ ...turn, weight: isReference ? reference.weight : 1 }, work, untilGivesWay).finally(endWaiting);
  };
  const untilNextOfReference = async (begun: Promise<void>) => {
    const started = await Promise.race([begin, begun.catch(() => undefined)]);
    if (!started) return;
    await givesWay(started.rendered, turnMs.page, undefined);
    const tookMs = performance.now() - started.at;
    await pause(Math.min(tookMs * reference.rest, turnMs.page - tookMs));
  };
  try {
    await (isReference ? references.run(turn, page, untilNextOfReference) : page());
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/**
 * Who asks, and for what: `caller` tells those behind one address or with keys of one project apart, and `target` is the whole path with
 * its query.
 */
export type Asker = { ip: string; caller: string; project?: ProjectSteps; kinds?: readonly string[]; target?: string };

function turnOfAsker({
  ip,
  caller,
  project,
  kinds = [''],
  target,
}: Asker): Pick<Turn, 'owner' | 'caller' | 'origin'> & Payment {
  const turn = { ...turnOfCaller({ ip, caller, project }), kinds };
  if (project) return { ...turn, payer: project[2], target };
  return caller ? { ...turn, payer: caller } : { ...turn, payer: stepsOf(ip).join(' '), target };
}

/** Who reads; `reads` is how many reads one request makes. */
export type Reader = Asker & { reads?: number; signal?: AbortSignal };

/**
 * Reads when it is the turn of the caller's network or project's block, and there of the caller.
 * @throws OVERLOADED when too many wait, and the signal's reason when the client has gone before that
 */
export function readInTurn<Result>(
  { reads: weight, signal, ...asker }: Reader,
  read: () => Promise<Result>,
): Promise<Result> {
  const turn = { ...turnOfAsker(asker), weight, signal };
  return atPace(turn, read, (begin) => inTurn(reads, turn, turnMs.read, begin));
}

/** Who changes, by one route unless `by` says which; `size` is what their request takes to keep it waiting, as `sizeOfBody` says. */
export type Changer = Asker & { by?: readonly { batched?: boolean }[]; size?: number };

/**
 * Makes a change when it is the turn of the caller's network or project's block, and there of the caller, whether or not its client
 * still waits for it.
 * @throws OVERLOADED when too many wait
 */
export function changeInTurn<Result>(
  { by = [{}], size, ...asker }: Changer,
  change: () => Promise<Result>,
): Promise<Result> {
  const weight = by.reduce((sum, { batched }) => sum + (batched ? batchedChange : 1), 0);
  const turn = { ...turnOfAsker(asker), weight, size };
  return atPace(turn, change, (begin) => inTurn(changes, turn, turnMs.change, begin));
}

/**
 * Takes what an anti-cheat client sends when it is the turn of its network, and there of its account.
 * @param bytes of the body
 * @throws OVERLOADED when too many wait
 */
export function reportInTurn<Result>(asker: Asker, bytes: number, report: () => Promise<Result>): Promise<Result> {
  const turn = { ...turnOfAsker(asker), size: sizeOfBody(bytes), atLeastMs: 1 + bytes / reportedPerMs };
  return atPace(turn, report, (begin) => inTurn(reports, turn, turnMs.report, begin));
}

/**
 * Forwards an upload or a download when it is the turn of its network.
 * @param address the caller's
 * @throws OVERLOADED when too many wait, and the signal's reason when the client has gone before that
 */
export function forwardInTurn(address: string, forward: () => Promise<void>, signal: AbortSignal): Promise<void> {
  return inTurn(forwards, { ...turnOf(address), signal }, turnMs.forward, forward);
}
