import { setTimeout as pause } from 'node:timers/promises';
import { completeAttempts, type FinishedAttempt, type Standing } from '@/server/delivery/attempts/complete';

const writeTries = 5;

/** Writes results as they come; those that come while a write is under way go into the next one together. */
export class ResultWriter {
  private waiting: FinishedAttempt[] = [];
  private writing: Promise<void> | null = null;
  private failure: unknown = null;
  /** Results that are not written yet. */
  unwritten = 0;

  /** @param onStanding told after each write that changed the subscription */
  constructor(
    private readonly subscriptionId: string,
    private readonly onStanding: (standing: Standing) => void,
  ) {}

  add(finished: FinishedAttempt): void {
    this.waiting.push(finished);
    this.unwritten += 1;
    this.writing ??= this.write();
  }

  /** Resolves when no write is under way. */
  async idle(): Promise<void> {
    while (this.writing) await this.writing;
  }

  /** Resolves when everything is written. @throws Error when the database stayed away */
  async settled(): Promise<void> {
    await this.idle();
    if (this.failure) throw this.failure;
  }

  private async write(): Promise<void> {
    // Results of one turn of the event loop belong together.
    await pause(0);
    while (this.waiting.length > 0) {
      const results = this.waiting.splice(0);
      const standing = await this.writeBatch(results).catch((error: unknown) => {
        this.failure = error;
      });
      this.unwritten -= results.length;
      if (standing) this.onStanding(standing);
    }
    this.writing = null;
  }

  /** A lost result means a second request, so a short absence of the database is waited out within the claim's lease. */
  private async writeBatch(batch: FinishedAttempt[]): Promise<Standing | null> {
    for (let failed = 0; ; failed += 1) {
      try {
        return await completeAttempts(this.subscriptionId, batch);
      } catch (error) {
        if (failed + 1 >= writeTries) throw error;
        await pause(100 * 2 ** failed);
      }
    }
  }
}
