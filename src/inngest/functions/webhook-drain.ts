import { setTimeout as pause } from 'node:timers/promises';
import { webhookAgent } from '@/server/outbound/policy';
import { post } from '@/server/outbound/post';
import {
  type ClaimedAttempt,
  claimDue,
  completeAttempts,
  expireOverdue,
  type FinishedAttempt,
  type NextDue,
  nextDue,
  releaseClaims,
} from '@/server/routers/webhooks/data';

/** Requests that one receiver gets at a time. */
const parallel = 10;
/** Deliveries claimed at a time: few at first, more while the receiver takes them quickly. */
const batch = { least: 2 * parallel, most: 200, quickMs: 250 };
/** A claimed delivery that had to wait this long is given back: its lease is meant for the request. */
const staleMs = 3_000;
/** No claim is made later than this, so that a step ends and a stop is not held up for long. */
const budgetMs = 5_000;
const writeTries = 5;

/** Writes results as they come; those that come while a write is under way go into the next one together. */
class ResultWriter {
  private waiting: FinishedAttempt[] = [];
  private writing: Promise<void> | null = null;
  private failure: unknown = null;

  add(finished: FinishedAttempt): void {
    this.waiting.push(finished);
    this.writing ??= this.write();
  }

  /** Resolves when everything is written. @throws Error when the database stayed away */
  async settled(): Promise<void> {
    while (this.writing) await this.writing;
    if (this.failure) throw this.failure;
  }

  private async write(): Promise<void> {
    // Results of one turn of the event loop belong together.
    await pause(0);
    while (this.waiting.length > 0) {
      await this.writeBatch(this.waiting.splice(0)).catch((error: unknown) => {
        this.failure = error;
      });
    }
    this.writing = null;
  }

  /** A lost result means a second request, so a short absence of the database is waited out within the claim's lease. */
  private async writeBatch(batch: FinishedAttempt[]): Promise<void> {
    for (let failed = 0; ; failed += 1) {
      try {
        await completeAttempts(batch);
        return;
      } catch (error) {
        if (failed + 1 >= writeTries) throw error;
        await pause(100 * 2 ** failed);
      }
    }
  }
}

/**
 * Attempts what is due for one subscription, several requests at a time, until nothing is due or the budget is used up.
 * Safe to run in several processes at once and again after a crash: each attempt is claimed in the database first.
 * @returns when the next attempt is due; null when none is
 */
export async function drain(subscriptionId: string): Promise<NextDue | null> {
  const agent = webhookAgent();
  const writer = new ResultWriter();
  const queue: { attempt: ClaimedAttempt; claimedAt: number }[] = [];
  let size = batch.least;
  let claimedAt = Number.NEGATIVE_INFINITY;
  const until = performance.now() + budgetMs;
  let posting = 0;
  let mayClaim = true;
  let wake: () => void = () => undefined;

  function send(attempt: ClaimedAttempt): void {
    posting += 1;
    post(agent, attempt).then((result) => {
      posting -= 1;
      writer.add({ attempt, result });
      fill();
      wake();
    });
  }

  function fill(): void {
    while (posting < parallel && queue[0] && performance.now() - queue[0].claimedAt < staleMs) {
      const next = queue.shift();
      if (next) send(next.attempt);
    }
  }

  async function claim(): Promise<void> {
    const now = performance.now();
    size = now - claimedAt < batch.quickMs ? Math.min(2 * size, batch.most) : batch.least;
    const room = size - posting - queue.length;
    if (room < parallel) return;
    claimedAt = now;
    const claimed = await claimDue(subscriptionId, room);
    mayClaim = claimed.length === room && performance.now() < until;
    queue.push(...claimed.map((attempt) => ({ attempt, claimedAt: now })));
  }

  let failure: unknown = null;
  while (mayClaim || posting > 0 || queue.length > 0) {
    try {
      if (queue[0] && performance.now() - queue[0].claimedAt >= staleMs) {
        await releaseClaims(queue.splice(0).map(({ attempt }) => attempt));
      }
      if (mayClaim && posting + queue.length <= size / 2) await claim();
    } catch (error) {
      failure = error;
      mayClaim = false;
    }
    fill();
    if (posting > 0) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }
  await writer.settled();
  if (failure) throw failure;
  await expireOverdue(subscriptionId);
  return nextDue(subscriptionId);
}
