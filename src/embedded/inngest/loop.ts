import { pause } from '@/server/jobs/embedded/database';

/** Runs rounds one after another: at once if nudged during the last one, otherwise after a pause. */
export class Loop {
  private wanted = false;
  private wake = new AbortController();
  private readonly done: Promise<void>;
  private stopped = false;

  /** @param round does the work; returns milliseconds until it should run again */
  constructor(round: () => Promise<number>) {
    this.done = this.run(round);
  }

  private async run(round: () => Promise<number>): Promise<void> {
    while (!this.stopped) {
      this.wanted = false;
      const wait = await round();
      if (this.wanted || this.stopped) continue;
      this.wake = new AbortController();
      await pause(Math.max(wait, 0), this.wake.signal);
    }
  }

  nudge(): void {
    this.wanted = true;
    this.wake.abort();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.wake.abort();
    await this.done;
  }
}
