const maxKnown = 10_000;

/** How long each owner may use something: so many milliseconds at once, and a share of the time in the long run. */
export class Allowance {
  private readonly used = new Map<string, { ms: number; at: number }>();

  /** @param limits with `mostMs`, what an owner has used counts as that at most */
  constructor(private readonly limits: { atOnceMs: number; share: number; mostMs?: number }) {}

  private usedBy(owner: string): number {
    const { ms, at } = this.used.get(owner) ?? { ms: 0, at: 0 };
    return Math.max(0, ms - (performance.now() - at) * this.limits.share);
  }

  /** Whether an owner has used more than that, or would with so many milliseconds more. */
  isSpent(owner: string, moreMs = 0): boolean {
    return this.usedBy(owner) + moreMs > this.limits.atOnceMs;
  }

  /** Whether an owner has used less than another one has. */
  hasUsedLess(owner: string, other: string): boolean {
    return this.usedBy(owner) < this.usedBy(other);
  }

  /** Notes that an owner has used so many milliseconds, or gives back what was noted before and not used. */
  spend(owner: string, ms: number): void {
    if (this.used.size >= maxKnown) this.used.clear();
    const { mostMs = Number.POSITIVE_INFINITY } = this.limits;
    this.used.set(owner, { ms: Math.min(this.usedBy(owner) + ms, mostMs), at: performance.now() });
  }
}
