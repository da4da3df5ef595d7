import { carryDrain, drainActive, stopDrain, wakeQueue } from '@/server/delivery/sending/drain';
import type { EventEmails } from '@/server/email/event-emails';
import { inngest, type JobStep } from '@/server/jobs/client';
import { pause } from '@/server/jobs/embedded/database';
import { webhookDrainRequested } from '@/server/jobs/events';
import type { logger as Logger } from '@/server/logger';

/**
 * The webhook engine, in the order in which an event passes through it:
 *
 * - `drain.ts` takes events as they are committed. `fan-out.ts` makes a delivery for each subscription that an event
 *   goes to, and claims it for this process in the same statement; `attempts/unstored.ts` stores it if its
 *   first result takes a while. One long run of a function carries all of it.
 * - `send-queue.ts` sends the deliveries of one subscription: `request/` builds and signs the requests, `slots.ts`
 *   shares the requests under way among projects, `outbound/post.ts` sends one past the guard, and
 *   `attempts/complete.ts` writes the results of many in one statement.
 * - `drain-queue.ts` runs a queue from the database where that is not enough: retries, backlogs, rate limits, breakers.
 *   `attempts/claim.ts` claims what is due.
 * - `breaker.ts` and `auto-disable.ts` say what results change of the subscription, `queue/hold.ts` what that holds back.
 * - `worker.ts` shows other processes that this one is alive, and frees what processes that died had claimed.
 * - `replay.ts` sends deliveries again; `upkeep.ts`, `secrets.ts` and `health-checks.ts` run on schedules.
 *
 * Terms: a *delivery* is one event for one subscription; an *attempt* is one request of it. A *claim* reserves a delivery
 * for a process until its *lease* ends. A *held* delivery waits until its subscription sends again. The *queue* of a
 * subscription is its pending deliveries in the order of their due times. A *lane* is a group of requests that share
 * slots. A *probe* is the one attempt that an open breaker lets through.
 */

/** A step carries the drain for so long; a run has so many steps, and then continues in another. */
const stepMs = 30_000;
const maxSteps = 100;

/**
 * One run of the drain: this process sends its webhooks and emails while it lasts. Ends at once where the process sends
 * already.
 */
export async function drainRun(step: JobStep, emails: EventEmails | null): Promise<void> {
  for (let index = 1; index <= maxSteps; index += 1) {
    if (!(await step.run(`drain-${index}`, () => carryDrain(stepMs, emails)))) return;
  }
  await step.sendEvent('continue', webhookDrainRequested.create({}));
}

/** Waits until a queue is due, and has it run. @param at when it is due (ISO 8601) */
export async function deliver(
  { subscriptionId, at }: { subscriptionId: string; at: string },
  step: JobStep,
): Promise<void> {
  await step.sleepUntil('backoff', at);
  await step.run('wake', () => wakeQueue(subscriptionId));
}

export type Delivery = {
  /** Stops sending; requests under way end first. */
  stop(): Promise<void>;
};

/** How long after a request for a run this process asks again: soon at first, since another process may have got it. */
const askAgainMs = { first: 1_000, longest: 30_000 };
const checkMs = 250;
/** What receivers do not answer within this time of a stop is sent again, by another process or the next start. */
const graceMs = 700;

/** Sees to it that a run carries this process's drain, for as long as the process lives. */
export function startDelivery({ logger }: { logger: typeof Logger }): Delivery {
  const stopped = new AbortController();
  async function supervise(): Promise<void> {
    let wait = askAgainMs.first;
    let askedAt = Number.NEGATIVE_INFINITY;
    while (!stopped.signal.aborted) {
      if (drainActive()) wait = askAgainMs.first;
      else if (performance.now() - askedAt >= wait) {
        if (askedAt > Number.NEGATIVE_INFINITY) wait = Math.min(2 * wait, askAgainMs.longest);
        askedAt = performance.now();
        await inngest
          .send(webhookDrainRequested.create({}))
          .catch((error: unknown) =>
            logger.warn({ err: error }, 'could not request a run of the drain; will try again'),
          );
      }
      await pause(checkMs, stopped.signal);
    }
  }
  const supervising = supervise();
  return {
    async stop() {
      stopped.abort();
      await Promise.all([supervising, stopDrain(graceMs)]);
    },
  };
}
