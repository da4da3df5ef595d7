import { setTimeout as pause } from 'node:timers/promises';
import { queuePool } from '@/server/db';

const latelyMs = 60_000;

/**
 * Lets one batch be changed at a time. The project with the fewest batches in the last minute goes first: long queues that
 * are paused and resumed in a loop delay a short one by the batch that is being changed.
 */
export class BatchTurns {
  private readonly waiting: { projectId: string; begin: () => void }[] = [];
  private readonly lately = new Map<string, number>();
  private latelySince = 0;
  private running = false;

  async run<Result>(projectId: string, change: () => Promise<Result>): Promise<Result> {
    await new Promise<void>((begin) => {
      this.waiting.push({ projectId, begin });
      this.next();
    });
    try {
      return await change();
    } finally {
      // The next batch of the same queue may go on: it asks for its turn before then.
      setImmediate(() => {
        this.running = false;
        this.next();
      });
    }
  }

  private next(): void {
    if (this.running) return;
    const now = performance.now();
    if (now - this.latelySince > latelyMs) {
      this.lately.clear();
      this.latelySince = now;
    }
    const changed = ({ projectId }: { projectId: string }) => this.lately.get(projectId) ?? 0;
    let at = 0;
    for (const [index, each] of this.waiting.entries()) {
      const first = this.waiting[at];
      if (first && changed(each) < changed(first)) at = index;
    }
    const [turn] = this.waiting.splice(at, 1);
    if (!turn) return;
    this.lately.set(turn.projectId, changed(turn) + 1);
    this.running = true;
    turn.begin();
  }
}

const turns = new BatchTurns();

/**
 * Changes one batch, and rests as long as it took: a backlog that is paused and resumed again and again, or deleted, must not
 * keep the database from the deliveries of others.
 * @returns how many changed
 */
async function changeBatch(statement: string, subscriptionId: string, size: number): Promise<number> {
  const began = performance.now();
  const { rowCount } = await queuePool.query(statement, [subscriptionId, size]);
  const changed = rowCount ?? 0;
  if (changed === size) await pause(performance.now() - began);
  return changed;
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
  let all = 0;
  for (;;) {
    const changed = await turns.run(projectId, () => changeBatch(statement, id, size));
    all += changed;
    if (changed < size) return all;
  }
}
