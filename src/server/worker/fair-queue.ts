/** How much of its work a queue lets run at once. */
type Limits = { running: number; runningOfOwner: number };

/**
 * Lets so many pieces of work run at once, and so many of each owner; owners whose work waits take turns, so that one with a
 * hundred pieces delays another by one of them.
 */
export class FairQueue {
  private running = 0;
  private readonly runningOf = new Map<string, number>();
  /** By owner, the one that had its turn longest ago first. */
  private readonly waiting = new Map<string, (() => void)[]>();

  constructor(private readonly limits: Limits) {}

  /** Runs the work when it is its turn. */
  async run<Result>(owner: string, work: () => Promise<Result>): Promise<Result> {
    await new Promise<void>((begin) => {
      const others = this.waiting.get(owner);
      // Anybody may ask for a large draw, so many may wait.
      if (others) others.push(begin);
      else this.waiting.set(owner, [begin]);
      this.next();
    });
    try {
      return await work();
    } finally {
      this.count(owner, -1);
      this.next();
    }
  }

  private count(owner: string, by: 1 | -1): void {
    this.running += by;
    const left = (this.runningOf.get(owner) ?? 0) + by;
    if (left > 0) this.runningOf.set(owner, left);
    else this.runningOf.delete(owner);
  }

  private next(): void {
    for (const [owner, waiting] of this.waiting) {
      if (this.running >= this.limits.running) return;
      if ((this.runningOf.get(owner) ?? 0) >= this.limits.runningOfOwner) continue;
      const begin = waiting.shift();
      // Behind the others.
      this.waiting.delete(owner);
      if (waiting.length > 0) this.waiting.set(owner, waiting);
      this.count(owner, 1);
      begin?.();
    }
  }
}
