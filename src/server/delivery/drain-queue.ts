import { claimDue, claimProbe, claimRateLimited, releaseClaims } from '@/server/delivery/attempts/claim';
import type { FinishedAttempt } from '@/server/delivery/attempts/complete';
import type { ClaimedAttempt } from '@/server/delivery/attempts/prepare';
import { ResultWriter } from '@/server/delivery/attempts/result-writer';
import { maxConcurrentRequests } from '@/server/delivery/breaker';
import { webhookAgent } from '@/server/delivery/outbound/policy';
import { post } from '@/server/delivery/outbound/post';
import { expireOverdue } from '@/server/delivery/queue/expire';
import { reconcileQueue } from '@/server/delivery/queue/hold';
import { needsReconciling, nextAction } from '@/server/delivery/queue/next-run';
import { type NextRun, nextRun, type Queue, readQueue } from '@/server/delivery/queue/queue';
import { redactEchoes } from '@/server/delivery/request/credentials';
import { observeWebhookAttempt } from '@/server/metrics';

/** Requests to one endpoint at a time. */
const maxParallel = 10;
/** Deliveries claimed at a time: few at first, and twice as many each time the batch before took less than `quickMs`. */
const batchSize = { min: 2 * maxParallel, max: 200, quickMs: 250 };
/** A claim that waited this long is released: its lease is meant for the request. */
const staleMs = 3_000;
/** No claim is made later than this, so that a step ends and a stop of the process does not wait for it for long. */
const budgetMs = 5_000;

async function attempt(claimed: ClaimedAttempt): Promise<FinishedAttempt> {
  const result = await post(webhookAgent(), claimed);
  observeWebhookAttempt(result.errorClass, result.durationMs);
  const { headers, body, errorMessage } = result;
  return { attempt: claimed, result: { ...result, ...redactEchoes({ headers, body, errorMessage }, claimed.echoes) } };
}

/**
 * Attempts what is due for one subscription, several requests at a time, until nothing is due, something holds it, or the
 * budget is used up. Behind an open breaker that is one probe. Safe to run in several processes at once and again after a
 * crash: each attempt is claimed in the database first.
 * @returns when to run the queue again; null when only a new delivery, or its owner, makes that necessary
 */
export async function drainQueue(subscriptionId: string): Promise<NextRun | null> {
  const queue = await readReconciledQueue(subscriptionId);
  const action = queue ? nextAction(queue) : 'wait';
  if (queue && action === 'send') await sendDue(subscriptionId, queue);
  if (action === 'probe') await sendProbe(subscriptionId);
  if (action === 'wait') return nextRun(queue);
  await expireOverdue(subscriptionId);
  return nextRun(await readReconciledQueue(subscriptionId));
}

async function readReconciledQueue(subscriptionId: string): Promise<Queue | null> {
  const queue = await readQueue(subscriptionId);
  if (!queue || !needsReconciling(queue)) return queue;
  const moved = await reconcileQueue(subscriptionId);
  return moved > 0 ? readQueue(subscriptionId) : queue;
}

async function sendProbe(subscriptionId: string): Promise<void> {
  const probe = await claimProbe(subscriptionId);
  if (!probe) return;
  const writer = new ResultWriter(subscriptionId, () => undefined);
  writer.add(await attempt(probe));
  await writer.flush();
}

async function sendDue(subscriptionId: string, { rateLimited, threshold, consecutiveFailures }: Queue): Promise<void> {
  const claims: { claimed: ClaimedAttempt; claimedAt: number }[] = [];
  let size = batchSize.min;
  let claimedAt = Number.NEGATIVE_INFINITY;
  const until = performance.now() + budgetMs;
  let posting = 0;
  let mayClaim = true;
  let stopped = false;
  let streak = consecutiveFailures;
  let wake: () => void = () => undefined;

  const writer = new ResultWriter(subscriptionId, (change) => {
    if (writer.unwritten === 0) streak = change.consecutiveFailures;
    if (change.stopped) {
      stopped = true;
      mayClaim = false;
    }
    sendClaimed();
    wake();
  });

  function send(claimed: ClaimedAttempt): void {
    posting += 1;
    attempt(claimed).then((finished) => {
      posting -= 1;
      streak = finished.result.succeeded ? 0 : streak + 1;
      writer.add(finished);
      sendClaimed();
      wake();
    });
  }

  /** Requests that may be under way now; at least one when every result is written and nothing holds the subscription. */
  function maxPosting(): number {
    const allResultsKnown = posting + writer.unwritten === 0;
    return Math.max(maxConcurrentRequests(maxParallel, threshold, streak), allResultsKnown ? 1 : 0);
  }

  function sendClaimed(): void {
    while (!stopped && posting < maxPosting()) {
      const [next] = claims;
      if (!next || performance.now() - next.claimedAt >= staleMs) return;
      claims.shift();
      send(next.claimed);
    }
  }

  /** With rate limits, claims only what can be sent at once: what is released later has been counted. */
  async function claim(): Promise<void> {
    const now = performance.now();
    size = now - claimedAt < batchSize.quickMs ? Math.min(2 * size, batchSize.max) : batchSize.min;
    const wanted = (rateLimited ? maxPosting() : size) - posting - claims.length;
    if (wanted < (rateLimited ? 1 : maxParallel)) return;
    claimedAt = now;
    const claimed = await (rateLimited ? claimRateLimited : claimDue)(subscriptionId, wanted);
    mayClaim = claimed.length === wanted && performance.now() < until && !stopped;
    claims.push(...claimed.map((each) => ({ claimed: each, claimedAt: now })));
  }

  let failure: unknown = null;
  while (mayClaim || posting > 0 || claims.length > 0) {
    try {
      if (claims[0] && (stopped || performance.now() - claims[0].claimedAt >= staleMs)) {
        await releaseClaims(claims.splice(0).map(({ claimed }) => claimed));
      }
      if (mayClaim && posting + claims.length <= size / 2) await claim();
    } catch (error) {
      failure = error;
      mayClaim = false;
    }
    sendClaimed();
    if (posting > 0) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    } else await writer.idle();
  }
  await writer.flush();
  if (failure) throw failure;
}
