import { performance } from 'node:perf_hooks';

/** Pieces of work that want something which all share, by whose they are. */
export class Wanting {
  private readonly counts = new Map<string, number>();
  private inAll = 0;
  /** Who wanted it last, and when, and when anybody else did. */
  private last = { name: '', at: Number.NEGATIVE_INFINITY, otherAt: Number.NEGATIVE_INFINITY };

  add(name: string): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
    this.inAll += 1;
  }

  end(name: string): void {
    const left = (this.counts.get(name) ?? 1) - 1;
    if (left > 0) this.counts.set(name, left);
    else this.counts.delete(name);
    this.inAll -= 1;
    const { last } = this;
    this.last = { name, at: performance.now(), otherAt: name === last.name ? last.otherAt : last.at };
  }

  /** Whether others than somebody want it. */
  isByOthers(name: string): boolean {
    return this.inAll > (this.counts.get(name) ?? 0);
  }

  /** Milliseconds since others than somebody wanted it. */
  msSinceOthers(name: string): number {
    return performance.now() - (name === this.last.name ? this.last.otherAt : this.last.at);
  }
}
