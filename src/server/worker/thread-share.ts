import { performance } from 'node:perf_hooks';
import { Allowance } from '@/server/limits/allowance';
import type { Gate, Origin } from './fair-queue';
import { Wanting } from './wanting';

/**
 * What a site may take of the thread at once, and which share of the time while others want it, and the same of a block of addresses.
 * Each kind of request has turns of its own, and who asks for all kinds at once would have the sum of them. What was taken while
 * nobody else wanted the thread holds nobody up for more than a moment.
 */
const ofSite = new Allowance({ atOnceMs: 150, share: 0.25, mostMs: 250 });
const ofBlock = new Allowance({ atOnceMs: 300, share: 0.4, mostMs: 400 });

const sites = new Wanting();
const blocks = new Wanting();

/**
 * Milliseconds after which a request counts no more: it waits for something else than the thread. Where the thread is full, one that is
 * late already must not be held up by what gives way to it.
 */
const wantsMs = 1_000;

/** Takes note of a request that wants the thread. @returns what ends that */
export function wantThread([block, site]: Origin): () => void {
  let isOver = false;
  const end = () => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    blocks.end(block);
    sites.end(site);
  };
  const timer = setTimeout(end, wantsMs).unref();
  blocks.add(block);
  sites.add(site);
  return end;
}

/** Notes that something was done for somebody, in this thread or another one. */
export function spendShare([block, site]: Origin, ms: number): void {
  ofBlock.spend(block, ms);
  ofSite.spend(site, ms);
}

/**
 * Until when a site that has had its share begins nothing: for as long again as what it had took, or until the thread is idle, while
 * somebody else has asked for something in the last second and so may again. It would come upon something that has just begun otherwise.
 */
const resting = new Map<string, number>();
const maxRestMs = 150;
const maxResting = 10_000;
const asksAgainMs = 1_000;

function rest(site: string, tookMs: number): void {
  if (resting.size >= maxResting) resting.clear();
  if (!ofSite.isSpent(site)) {
    resting.delete(site);
    return;
  }
  const now = performance.now();
  resting.set(site, Math.min(Math.max(now, resting.get(site) ?? 0) + tookMs, now + maxRestMs));
}

const blockGivesWay = (block: string) => !isIdle && ofBlock.isSpent(block) && blocks.isByOthers(block);

const siteGivesWay = (site: string) =>
  !isIdle &&
  ofSite.isSpent(site) &&
  (sites.isByOthers(site) || ((resting.get(site) ?? 0) > performance.now() && sites.msSinceOthers(site) < asksAgainMs));

/**
 * Parts that a site which has had its share may have under way at a time, so that somebody else who comes waits for little. What has been
 * under way for so many milliseconds waits for something else, and does not count.
 */
const maxParts = 4;
const partsMs = 250;
const underWay = new Map<string, number>();

function addParts(site: string, parts: number): void {
  const left = (underWay.get(site) ?? 0) + parts;
  // Parts can be fractions, whose sums are not exact.
  if (left > 1e-9) underWay.set(site, left);
  else underWay.delete(site);
}

/** What has each queue look again whether something may begin, whichever began something longest ago first. */
let looks: (() => void)[] = [];
/** Whether anything waits for that. */
let isWaiting = false;
/** The gate whose queue is next for a site that has no room for a piece of it: smaller pieces would never leave room. */
const next = new Map<string, Gate>();

function lookAgain(): void {
  if (!isWaiting) return;
  isWaiting = false;
  next.clear();
  for (const look of looks) look();
}

/**
 * Milliseconds between looks while something waits, and how much of them the thread has been in use at most if it is idle: others that
 * want it wait for something else then, and so nobody gives way to them. Most answers of the database come sooner.
 */
const lookMs = 5;
const idleUse = 0.2;
let isIdle = false;
let willLook = false;

/** @returns false: nothing may begin before the next look */
function wait(): false {
  isWaiting = true;
  if (willLook) return false;
  willLook = true;
  const before = performance.eventLoopUtilization();
  const look = () => {
    willLook = false;
    isIdle = performance.eventLoopUtilization(before).utilization <= idleUse;
    lookAgain();
    isIdle = false;
  };
  setTimeout(look, lookMs).unref();
  return false;
}

/**
 * The thread's work as if all pieces under way had equal parts of it, by their sizes. Nobody can tell whose work it is: a page is a
 * thousand callbacks. Where other threads have the processors, the time in which this one waits for one counts, too.
 */
let piecesUnderWay = 0;
let partMs = 0;
let countedMs = 0;

function count(): void {
  const { active } = performance.eventLoopUtilization();
  if (piecesUnderWay > 0) partMs += (active - countedMs) / piecesUnderWay;
  countedMs = active;
}

/**
 * The gate of a queue whose owners are blocks, with sites as the first step of callers. It is closed to those that have had their share
 * of the thread while others want it, and to a site with as much under way as may be.
 * @param expectedMs what a piece of work takes of the thread, until it is known
 * @param parts as how many pieces it counts beside those of other queues
 * @param besideMs what comes with a piece and is not measured
 */
export function gateOf(expectedMs: number, parts = 1, besideMs = 0): Gate {
  let look: () => void = () => undefined;
  const gate: Gate = {
    isOpen([block = '', site, ...further]) {
      if (site === undefined) return !blockGivesWay(block) || wait();
      if (further.length > 0 || !ofSite.isSpent(site)) return true;
      if (siteGivesWay(site)) return wait();
      const first = next.get(site) ?? gate;
      const used = underWay.get(site) ?? 0;
      if (first === gate && (used === 0 || used + parts <= maxParts)) return true;
      next.set(site, first);
      return wait();
    },
    begin(origin, weight) {
      const [, site] = origin;
      const [size, reservedMs] = [parts * weight, expectedMs * weight];
      spendShare(origin, besideMs);
      count();
      const before = partMs;
      piecesUnderWay += size;
      spendShare(origin, reservedMs);
      addParts(site, size);
      if (isWaiting) looks = [...looks.filter((other) => other !== look), look];
      let isUnderWay = true;
      const leave = () => {
        if (!isUnderWay) return;
        isUnderWay = false;
        clearTimeout(timer);
        addParts(site, -size);
        lookAgain();
      };
      const timer = setTimeout(leave, partsMs).unref();
      return () => {
        count();
        piecesUnderWay -= size;
        const tookMs = (partMs - before) * size;
        spendShare(origin, tookMs - reservedMs);
        rest(site, tookMs);
        leave();
      };
    },
    onOpen(lookOfQueue) {
      look = lookOfQueue;
      looks.push(look);
    },
  };
  return gate;
}

/** The gate of what other threads do, which counts when it has ended; sites are the second step of the callers of its queue. */
export const gateOfWorker: Gate = {
  isOpen([block = '', use, site, ...further]) {
    if (use === undefined) return !blockGivesWay(block) || wait();
    return site === undefined || further.length > 0 || !siteGivesWay(site) || wait();
  },
  begin: () => () => undefined,
  onOpen: (look) => void looks.push(look),
};
