import { setTimeout as pause } from 'node:timers/promises';

type Batched<Item, Result> = { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void };

/**
 * Collects items while a batch is being written and writes them as the next one, so that many callers share a commit.
 * `write` returns one result per item, in order. `choose` says which of those that wait are in the next batch, at least
 * one; without it, they are the first. With `gatherMs`, a batch that is not full waits so long for more; with `everyMs`, only
 * until so long after the one before began.
 */
export class Batcher<Item, Result> {
  private waiting: Batched<Item, Result>[] = [];
  private running: Promise<void> | null = null;
  private beganAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly max: number,
    private readonly write: (items: Item[]) => Promise<Result[]>,
    private readonly options: {
      choose?: (waiting: readonly Item[]) => Item[];
      gatherMs?: number;
      everyMs?: number;
    } = {},
  ) {}

  /** Whether nothing waits and nothing is being written. */
  get idle(): boolean {
    return this.running === null;
  }

  /** How many items wait for the next batches. */
  get size(): number {
    return this.waiting.length;
  }

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      this.running ??= this.drain();
    });
  }

  private takeNext(): Batched<Item, Result>[] {
    const { choose } = this.options;
    if (!choose) return this.waiting.splice(0, this.max);
    const chosen = new Set(choose(this.waiting.map(({ item }) => item)).slice(0, this.max));
    const batch = this.waiting.filter(({ item }) => chosen.has(item));
    this.waiting = this.waiting.filter(({ item }) => !chosen.has(item));
    return batch;
  }

  private async drain(): Promise<void> {
    // Callers of the same tick share the first batch too.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.waiting.length > 0) {
      const { gatherMs = 0, everyMs = 0 } = this.options;
      const waitMs = Math.max(gatherMs, this.beganAt + everyMs - performance.now());
      if (waitMs > 0 && this.waiting.length < this.max) await pause(waitMs);
      this.beganAt = performance.now();
      const batch = this.takeNext();
      try {
        const results = await this.write(batch.map((entry) => entry.item));
        batch.forEach((entry, index) => {
          const result = results[index];
          if (result === undefined) entry.reject(new Error('The batch returned no result for this item'));
          else entry.resolve(result);
        });
      } catch (error) {
        for (const entry of batch) entry.reject(error);
      }
    }
    this.running = null;
  }
}
