import { performance } from 'node:perf_hooks';
import { Allowance } from '@/server/limits/allowance';
import type { Gate } from './fair-queue';

/** Milliseconds between looks while something waits. */
const lookMs = 25;

/** For how many times as long as somebody used it, and milliseconds at most, what is shared is kept for them to come again. */
const keptTimes = 10;
const maxKeptMs = 10_000;

/**
 * The gate of a queue whose owners share something that does one piece at a time. It is closed to an owner who has had their share while
 * others who have had less want it, or have used it so lately that they may come again: those find it idle most of the time, and do
 * not wait for the end of a piece. Who uses it rarely, or a little, keeps nobody from the rest.
 */
export class ShareGate implements Gate {
  private readonly allowance: Allowance;
  /** How many pieces of each owner want it. */
  private readonly wanting = new Map<string, number>();
  private readonly keptUntil = new Map<string, number>();
  private look: () => void = () => undefined;
  private willLook = false;

  constructor(share: { atOnceMs: number; share: number }) {
    this.allowance = new Allowance(share);
  }

  isOpen([owner = '']: readonly string[]): boolean {
    if (!this.allowance.isSpent(owner) || !this.hasLighterOthers(owner)) return true;
    if (!this.willLook) setTimeout(() => this.lookAgain(), lookMs).unref();
    this.willLook = true;
    return false;
  }

  private hasLighterOthers(owner: string): boolean {
    const now = performance.now();
    for (const [name, until] of this.keptUntil) if (until <= now) this.keptUntil.delete(name);
    for (const others of [this.wanting, this.keptUntil]) {
      for (const other of others.keys()) if (this.allowance.hasUsedLess(other, owner)) return true;
    }
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
    this.wanting.set(owner, (this.wanting.get(owner) ?? 0) + 1);
    try {
      return await work();
    } finally {
      const left = (this.wanting.get(owner) ?? 1) - 1;
      if (left > 0) this.wanting.set(owner, left);
      else this.wanting.delete(owner);
    }
  }

  /** Notes that an owner has used so many milliseconds. */
  spend(owner: string, ms: number): void {
    this.allowance.spend(owner, ms);
    const until = performance.now() + Math.min(ms * keptTimes, maxKeptMs);
    this.keptUntil.set(owner, Math.max(until, this.keptUntil.get(owner) ?? 0));
  }
}
