import { performance } from 'node:perf_hooks';
import { setTimeout as pause, setImmediate } from 'node:timers/promises';
import { Allowance } from '@/server/limits/allowance';
import { FairQueue } from '@/server/worker/fair-queue';

/**
 * What a block of addresses may take of the thread while others want it: so much at once, and a share of the time in the long run.
 * Each kind of request has turns of its own, and a block that asks for all kinds at once would have the sum of them.
 */
const allowance = new Allowance({ atOnceMs: 300, share: 1 / 10, mostMs: 500 });

/** Requests of each block that want the thread, and until when it counts as wanting it without any. */
const wanting = new Map<string, { requests: number; until: number }>();
/** What has taken so long waits for something else. */
const wantsMs = 2_000;
/** Between two requests of somebody else, a block must not begin something of each kind, for all of which the second would wait. */
const wantsAgainMs = 1_000;

/** Takes note of a request that wants the thread. @returns what ends that */
export function wantThread(block: string): () => void {
  let isOver = false;
  const end = () => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    wants.requests -= 1;
    wants.until = performance.now() + wantsAgainMs;
  };
  const timer = setTimeout(end, wantsMs).unref();
  const wants = wanting.get(block) ?? { requests: 0, until: 0 };
  wants.requests += 1;
  // Those that wanted it last are at the end.
  wanting.delete(block);
  wanting.set(block, wants);
  for (const [first, { requests, until }] of wanting) {
    if (requests > 0 || until > performance.now()) break;
    wanting.delete(first);
  }
  return end;
}

/** Notes that requests of a block have had the thread for so many milliseconds. */
export const spendThread = (block: string, ms: number): void => allowance.spend(block, ms);

function othersWant(block: string): boolean {
  const now = performance.now();
  for (const [other, { requests, until }] of wanting) {
    if (requests === 0 && until < now) wanting.delete(other);
    else if (other !== block) return true;
  }
  return false;
}

const mustGiveWay = (block: string) => allowance.isSpent(block) && othersWant(block);

/** Milliseconds between looks whether others still want the thread, and the part of them in which nothing used it if they do not. */
const lookMs = 5;
const unused = 0.8;

/** Of those of a block that give way, one goes on in a round of the event loop. */
const givingWay = new FairQueue({ running: [Number.POSITIVE_INFINITY, 1], waiting: 65_536, waitingOfOwner: 16_384 });

/**
 * Resolves when a block that has had more than its share of the thread may use it again, or nobody else wants it.
 * @throws OVERLOADED when too many wait, and the signal's reason when the client has gone before that
 */
export async function giveWay(block: string, signal?: AbortSignal): Promise<void> {
  if (!mustGiveWay(block)) return;
  const untilMayGoOn = async () => {
    while (mustGiveWay(block) && !signal?.aborted) {
      const before = performance.eventLoopUtilization();
      await pause(lookMs);
      if (performance.eventLoopUtilization(before).idle >= lookMs * unused) return;
    }
  };
  await givingWay.run({ owner: block, signal }, untilMayGoOn, async (mayGoOn) => {
    await mayGoOn;
    await setImmediate();
  });
}
