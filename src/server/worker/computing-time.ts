import { performance } from 'node:perf_hooks';

/** Tells how long pieces of work have computed in this thread. What several do at a time, they share. */
export class ComputingTime {
  private running = 0;
  /** Of a piece that has always been there. */
  private sharedMs = 0;
  private activeMs = 0;

  private advance(): number {
    const { active } = performance.eventLoopUtilization();
    if (this.running > 0) this.sharedMs += (active - this.activeMs) / this.running;
    this.activeMs = active;
    return this.sharedMs;
  }

  /** @returns a function that tells, at the end of a piece, how many milliseconds it has computed */
  begin(): () => number {
    const began = this.advance();
    this.running += 1;
    return () => {
      const tookMs = this.advance() - began;
      this.running -= 1;
      return tookMs;
    };
  }
}
