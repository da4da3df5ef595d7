import { AsyncLocalStorage } from 'node:async_hooks';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { FairQueue } from '@/server/worker/fair-queue';

/**
 * What a block of addresses may take of the thread at once, beyond its share; and what of more than that counts, so that a block
 * that had much while nobody minded is not kept waiting for long.
 */
const atOnceMs = 300;
const mostMs = 600;

/** For so long, a block that had a request counts among those that want the thread. */
const wantsMs = 1_000;

/** How many times as much as a block takes lately is left to it. */
const leftToEach = 3;

/** What a block has had beyond its share, what it has had lately, and what is expected of what has begun, in milliseconds. */
type Use = { beyond: number; lately: number; expected: number; at: number; wantedAt: number };

/** By block; those that asked last are at the end. */
const uses = new Map<string, Use>();
const faded = (ms: number, sinceMs: number) => ms * Math.exp(-sinceMs / wantsMs);

/** Forgets blocks that want nothing any more, and nothing of which has begun. */
function forgetOld(now: number): void {
  for (const [block, { wantedAt, expected }] of uses) {
    if (expected > 0 || now - wantedAt < wantsMs) break;
    uses.delete(block);
  }
}

/**
 * The share that each may have of something (max-min fairness): what those leave that want less is divided among the rest, so that
 * nobody is limited by how many others there are.
 * @param wanted what each wants of it, as parts of the whole
 * @returns a part of the whole; 1 where one wants it alone
 */
export function shareOfEach(wanted: readonly number[]): number {
  let [free, left] = [1, wanted.length];
  for (const part of [...wanted].sort((one, other) => one - other)) {
    if (left === 1 || part > free / left) break;
    free -= part;
    left -= 1;
  }
  return free / Math.max(1, left);
}

/** The share of the thread that each block has, and until when it is known. */
const share = { ofEach: 1, until: 0 };
const shareMs = 20;

function currentShare(now: number): number {
  if (now < share.until) return share.ofEach;
  const wanted = [...uses.values()].map(({ lately, at }) => (leftToEach * faded(lately, now - at)) / wantsMs);
  Object.assign(share, { ofEach: shareOfEach(wanted), until: now + shareMs });
  return share.ofEach;
}

/** The use of a block up to now. */
function countedUse(block: string): Use {
  const now = performance.now();
  const use = uses.get(block) ?? { beyond: 0, lately: 0, expected: 0, at: now, wantedAt: now };
  uses.set(block, use);
  use.lately = faded(use.lately, now - use.at);
  use.beyond = Math.max(0, use.beyond - (now - use.at) * currentShare(now));
  use.at = now;
  return use;
}

/** Takes note of a request of a block. */
export function wantThread(block: string): void {
  const use = countedUse(block);
  use.wantedAt = performance.now();
  uses.delete(block);
  uses.set(block, use);
  forgetOld(use.wantedAt);
}

/** Notes that requests of a block have had the thread for so many milliseconds. */
export function spendThread(block: string, ms: number): void {
  const use = countedUse(block);
  use.beyond = Math.min(use.beyond + ms, mostMs);
  use.lately += ms;
}

function isSpent(block: string): boolean {
  const { beyond, expected } = countedUse(block);
  return uses.size > 1 && beyond + expected > atOnceMs;
}

/** Milliseconds between looks whether a block may go on. */
const lookMs = 5;
/** What has taken so long waits for something else. */
const expectedForMs = 250;

/** Those of a block that wait for its share go on in order. */
const waiting = new FairQueue({ running: [Number.POSITIVE_INFINITY, 1], waiting: 65_536, waitingOfOwner: 16_384 });

/** Whether what is done has its share already, as the reads of a page have. */
const inside = new AsyncLocalStorage<true>();

/**
 * Does some work when a block of addresses may have the thread. Each kind of request has turns of its own, and a block that asks for
 * all kinds at once would have the sum of them: while others want the thread, it has one share for all.
 * @param expectedMs what it takes of the thread, roughly: nobody knows before it ends
 * @throws OVERLOADED when too many wait, and the signal's reason when the client has gone before that
 */
export async function inShare<Result>(
  block: string,
  expectedMs: number,
  work: () => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  if (inside.getStore()) return work();
  const begin = () => {
    countedUse(block).expected += expectedMs;
  };
  if (isSpent(block)) {
    await waiting.run({ owner: block, signal }, async () => {
      while (isSpent(block) && !signal?.aborted) await pause(lookMs);
      begin();
    });
  } else begin();
  let isExpected = true;
  const end = () => {
    if (isExpected) countedUse(block).expected -= expectedMs;
    isExpected = false;
  };
  const timer = setTimeout(end, expectedForMs);
  try {
    return await inside.run(true, work);
  } finally {
    clearTimeout(timer);
    end();
  }
}
