import { setTimeout as pause } from 'node:timers/promises';
import { completeAttempts, type FinishedAttempt, type SubscriptionChange } from '@/server/delivery/attempts/complete';

const maxTries = 5;

/** Writes results as they come. Those that come during a write are written together by the next one. */
export class ResultWriter {
  private waiting: FinishedAttempt[] = [];
  private writing: Promise<void> | null = null;
  private failure: unknown = null;
  /** Results that are not written yet. */
  unwritten = 0;

  /** @param onChange called after each write that changed the subscription */
  constructor(
    private readonly subscriptionId: string,
    private readonly onChange: (change: SubscriptionChange) => void,
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

  /** Resolves when everything is written. @throws Error when the database could not be reached */
  async flush(): Promise<void> {
    await this.idle();
    if (this.failure) throw this.failure;
  }

  private async write(): Promise<void> {
    // Results of the same turn of the event loop share a write.
    await pause(0);
    while (this.waiting.length > 0) {
      const results = this.waiting.splice(0);
      const change = await this.writeBatch(results).catch((error: unknown) => {
        this.failure = error;
      });
      this.unwritten -= results.length;
      if (change) this.onChange(change);
    }
    this.writing = null;
  }

  /** Tries again within the claim's lease while the database is away, since a lost result means a second request. */
  private async writeBatch(batch: FinishedAttempt[]): Promise<SubscriptionChange | null> {
    for (let failed = 0; ; failed += 1) {
      try {
        return await completeAttempts(this.subscriptionId, batch);
      } catch (error) {
        if (failed + 1 >= maxTries) throw error;
        await pause(100 * 2 ** failed);
      }
    }
  }
}
