import { Allowance } from '@/server/limits/allowance';
import type { Gate } from './fair-queue';
import { Wanting } from './wanting';

/** Milliseconds between looks while something waits. */
const lookMs = 25;

/**
 * The gate of a queue whose owners share something that does one piece at a time. It is closed to an owner who has had their share while
 * others want it or have wanted it lately: who comes then finds it idle most of the time, and does not wait for the end of a piece.
 */
export class ShareGate implements Gate {
  private readonly allowance: Allowance;
  private readonly wanting = new Wanting();
  private look: () => void = () => undefined;
  private willLook = false;

  /** @param latelyMs for how long somebody is expected to come again */
  constructor(
    share: { atOnceMs: number; share: number },
    private readonly latelyMs: number,
  ) {
    this.allowance = new Allowance(share);
  }

  isOpen([owner = '']: readonly string[]): boolean {
    const hasOthers = this.wanting.isByOthers(owner) || this.wanting.msSinceOthers(owner) < this.latelyMs;
    if (!hasOthers || !this.allowance.isSpent(owner)) return true;
    if (!this.willLook) setTimeout(() => this.lookAgain(), lookMs).unref();
    this.willLook = true;
    return false;
  }

  private lookAgain(): void {
    this.willLook = false;
    this.look();
  }

  /** What an owner has used is noted by `spend`, when it is known. */
  begin(): () => void {
    return () => undefined;
  }

  onOpen(look: () => void): void {
    this.look = look;
  }

  /** Does work for an owner, who wants what is shared until it ends. */
  async wantFor<Result>(owner: string, work: () => Promise<Result>): Promise<Result> {
    this.wanting.add(owner);
    try {
      return await work();
    } finally {
      this.wanting.end(owner);
    }
  }

  /** Notes that an owner has used so many milliseconds. */
  spend(owner: string, ms: number): void {
    this.allowance.spend(owner, ms);
  }
}
