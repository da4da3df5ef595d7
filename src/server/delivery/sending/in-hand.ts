/**
 * Deliveries that a process has claimed and that wait for their requests, by project. Beside others, a project has at most
 * half of them, and one with few may have them however many the others have.
 */
export class InHand {
  private readonly counts = new Map<string, number>();
  private total = 0;

  constructor(private readonly limits = { all: 4_000, each: 500, most: 8_000 }) {}

  add(projectId: string, change: number): void {
    const own = (this.counts.get(projectId) ?? 0) + change;
    if (own > 0) this.counts.set(projectId, own);
    else this.counts.delete(projectId);
    this.total += change;
  }

  /** Whether more may be claimed for a project; null: of a project that has none. */
  hasRoom(projectId: string | null): boolean {
    const own = this.counts.get(projectId ?? '') ?? 0;
    const { all, each, most } = this.limits;
    if (own < each) return this.total < most;
    return this.total < all && (own === this.total || own < all / 2);
  }
}
