import { queuePool } from '@/server/db';
import { turnOfProject } from '@/server/events/project-turn';
import type { Turn } from '@/server/worker/fair-queue';
import { beginWaiting } from '@/server/worker/waiting';

const latelyMs = 60_000;
/** So many batches in that time are a queue that anyone may have: nobody's rest is waited for before they are changed. */
const fewBatches = 12;

/** Whose turn it is, and whose in that. */
const namesOf = ({ owner, caller = [] }: Turn): string[] => [owner, caller.join(' ')];
const compare = ([a = 0, ofA = 0]: number[], [b = 0, ofB = 0]: number[]) => a - b || ofA - ofB;

/** What a change of a batch says: whether it was full, so that others probably follow. */
type Batch = { full: boolean };

/**
 * Lets one batch be changed at a time, and has the database rest as long as a full one took: a backlog that is paused and
 * resumed again and again, or deleted, must not keep it from the deliveries of others. Whoever had the fewest batches in the last
 * minute goes first, and of theirs the project with the fewest, and while they are few it waits for no rest: long queues delay a short
 * one by the batch that is being changed.
 */
export class BatchTurns {
  private readonly waiting: { turn: Turn; begin: () => void }[] = [];
  private readonly lately = new Map<string, number>();
  private latelySince = 0;
  private running = false;
  private restUntil = 0;
  private timer: NodeJS.Timeout | undefined;

  async run<Result extends Batch>(turn: Turn, change: () => Promise<Result>): Promise<Result> {
    const endWaiting = beginWaiting();
    await new Promise<void>((begin) => {
      this.waiting.push({ turn, begin });
      this.next();
    });
    endWaiting();
    const began = performance.now();
    try {
      const changed = await change();
      const now = performance.now();
      const took = now - began;
      // While it was changed, nothing rested from those before it.
      if (changed.full) this.restUntil = Math.max(now, this.restUntil + took) + took;
      return changed;
    } finally {
      // The next batch of the same queue may go on: it asks for its turn before then.
      setImmediate(() => {
        this.running = false;
        this.next();
      });
    }
  }

  private next(): void {
    clearTimeout(this.timer);
    if (this.running || this.waiting.length === 0) return;
    const now = performance.now();
    if (now - this.latelySince > latelyMs) {
      this.lately.clear();
      this.latelySince = now;
    }
    const changed = ({ turn }: { turn: Turn }) => namesOf(turn).map((who) => this.lately.get(who) ?? 0);
    let next: { at: number; counts: number[] } | null = null;
    for (const [at, each] of this.waiting.entries()) {
      const counts = changed(each);
      if (!next || compare(counts, next.counts) < 0) next = { at, counts };
    }
    const [first] = next ? [this.waiting[next.at]] : [];
    if (!next || !first) return;
    if ((next.counts[0] ?? 0) >= fewBatches && now < this.restUntil) {
      this.timer = setTimeout(() => this.next(), this.restUntil - now);
      return;
    }
    this.waiting.splice(next.at, 1);
    for (const who of namesOf(first.turn)) this.lately.set(who, (this.lately.get(who) ?? 0) + 1);
    this.running = true;
    first.begin();
  }
}

/** Those of this process: of queues that are moved or deleted, and of replays. */
export const batchTurns = new BatchTurns();

async function changeBatch(statement: string, subscriptionId: string, size: number) {
  const { rowCount } = await queuePool.query(statement, [subscriptionId, size]);
  const changed = rowCount ?? 0;
  return { changed, full: changed === size };
}

/**
 * Runs a statement about the queue of a subscription until nothing is left for it.
 * @param statement takes the subscription ($1) and how many deliveries it may change ($2)
 * @returns how many changed
 */
export async function changeInBatches(
  statement: string,
  { id, projectId }: { id: string; projectId: string },
  size: number,
): Promise<number> {
  const turn = await turnOfProject(projectId);
  let all = 0;
  for (;;) {
    const { changed, full } = await batchTurns.run(turn, () => changeBatch(statement, id, size));
    all += changed;
    if (!full) return all;
  }
}
