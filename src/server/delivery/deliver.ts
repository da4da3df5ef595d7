import { drainQueue } from '@/server/delivery/drain-queue';
import type { NextRun } from '@/server/delivery/queue/queue';
import type { JobStep } from '@/server/jobs/client';
import { webhookDeliveriesDue } from '@/server/jobs/events';

/**
 * The webhook engine, in the order in which an event passes through it:
 *
 * - `fan-out.ts` makes a delivery for each subscription that an event goes to.
 * - `deliver.ts` runs the queue of a subscription, and runs it again when the next delivery is due.
 * - `drain-queue.ts` attempts what is due: `attempts/claim.ts` claims it, `request/` builds and signs the request,
 *   `outbound/post.ts` sends it past the guard, `attempts/complete.ts` writes the result.
 * - `breaker.ts` and `auto-disable.ts` say what results change of the subscription, `queue/hold.ts` what that holds back.
 * - `replay.ts` sends deliveries again; `upkeep.ts`, `secrets.ts` and `health-checks.ts` run on schedules.
 *
 * Terms: a *delivery* is one event for one subscription; an *attempt* is one request of it. A *claim* reserves a delivery
 * for a process until its *lease* ends. A *held* delivery waits until its subscription sends again. The *queue* of a
 * subscription is its pending deliveries in the order of their due times. A *lane* is a group of subscriptions that share
 * slots. A *probe* is the one attempt that an open breaker lets through.
 */

/** Due times are rounded up to this, so that failures spread over a second are retried in a few batches. */
const wakeGridMs = 250;
/** Rounds in one run; a queue that needs more continues in another. */
const maxRounds = 30;

/**
 * One run of a subscription's queue: attempts what is due, and schedules the next run.
 * @param at when it is due (ISO 8601); null: now
 */
export async function deliver(
  { subscriptionId, at }: { subscriptionId: string; at: string | null },
  step: JobStep,
): Promise<void> {
  if (at) await step.sleepUntil('backoff', at);
  let next: NextRun | null = null;
  for (let round = 1; round <= maxRounds; round += 1) {
    next = await step.run(`attempts-${round}`, () => drainQueue(subscriptionId));
    if (next === null) return;
    // Still due: the step's budget was used up. Not due although its time has come: two clocks differ.
    const early = at !== null && next.at <= at;
    if (next.inMs > 0 && !early) break;
    if (next.inMs > 0) await step.sleep(`clock-${round}`, '1s');
  }
  if (next === null) return;
  const wakeAt = new Date(Math.ceil(Date.parse(next.at) / wakeGridMs) * wakeGridMs).toISOString();
  // The id drops the event where another run has scheduled the same time already.
  const id = `${subscriptionId}:${wakeAt}`;
  await step.sendEvent('wake', webhookDeliveriesDue.create({ subscriptionId, lane: next.lane, at: wakeAt }, { id }));
}
