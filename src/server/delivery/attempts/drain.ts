import {
  type ClaimedAttempt,
  claimCapped,
  claimDue,
  claimProbe,
  releaseClaims,
} from '@/server/delivery/attempts/claim';
import { ResultWriter } from '@/server/delivery/attempts/result-writer';
import { webhookAgent } from '@/server/delivery/outbound/policy';
import { post } from '@/server/delivery/outbound/post';
import { expireOverdue, lookAt, type NextLook, nextLook, type Queue, settleQueue } from '@/server/delivery/queue/queue';
import { isMisplaced, nextMove, roomUnderBreaker } from '@/server/delivery/queue/rules';
import { withoutEchoes } from '@/server/delivery/rules';
import { observeWebhookAttempt } from '@/server/metrics';

/** Requests that one receiver gets at a time. */
const parallel = 10;
/** Deliveries claimed at a time: few at first, more while the receiver takes them quickly. */
const batch = { least: 2 * parallel, most: 200, quickMs: 250 };
/** A claimed delivery that had to wait this long is given back: its lease is meant for the request. */
const staleMs = 3_000;
/** No claim is made later than this, so that a step ends and a stop is not held up for long. */
const budgetMs = 5_000;

async function attempt(claimed: ClaimedAttempt) {
  const result = await post(webhookAgent(), claimed);
  observeWebhookAttempt(result.errorClass, result.durationMs);
  const { headers, body, errorMessage } = result;
  return { attempt: claimed, result: { ...result, ...withoutEchoes({ headers, body, errorMessage }, claimed.echoes) } };
}

/**
 * Attempts what is due for one subscription, several requests at a time, until nothing is due, something stops it, or the
 * budget is used up. Behind an open breaker it is one probe. Safe to run in several processes at once and again after a
 * crash: each attempt is claimed in the database first.
 * @returns when to look again; null when only something new changes the queue
 */
export async function drain(subscriptionId: string): Promise<NextLook | null> {
  const queue = await settled(subscriptionId);
  const move = queue ? nextMove(queue) : 'rest';
  if (queue && move === 'send') await sendDue(subscriptionId, queue);
  if (move === 'probe') await sendProbe(subscriptionId);
  if (move === 'rest') return nextLook(queue);
  await expireOverdue(subscriptionId);
  return nextLook(await settled(subscriptionId));
}

/** The queue, with every delivery where it belongs. */
async function settled(subscriptionId: string): Promise<Queue | null> {
  const queue = await lookAt(subscriptionId);
  if (!queue || !isMisplaced(queue)) return queue;
  const moved = await settleQueue(subscriptionId);
  return moved > 0 ? lookAt(subscriptionId) : queue;
}

async function sendProbe(subscriptionId: string): Promise<void> {
  const probe = await claimProbe(subscriptionId);
  if (!probe) return;
  const writer = new ResultWriter(subscriptionId, () => undefined);
  writer.add(await attempt(probe));
  await writer.settled();
}

async function sendDue(subscriptionId: string, { capped, threshold, consecutiveFailures }: Queue): Promise<void> {
  const queue: { claimed: ClaimedAttempt; claimedAt: number }[] = [];
  let size = batch.least;
  let claimedAt = Number.NEGATIVE_INFINITY;
  const until = performance.now() + budgetMs;
  let posting = 0;
  let mayClaim = true;
  let stopped = false;
  let streak = consecutiveFailures;
  let wake: () => void = () => undefined;

  const writer = new ResultWriter(subscriptionId, (standing) => {
    if (writer.unwritten === 0) streak = standing.consecutiveFailures;
    if (standing.stopped) {
      stopped = true;
      mayClaim = false;
    }
    fill();
    wake();
  });

  function send(claimed: ClaimedAttempt): void {
    posting += 1;
    attempt(claimed).then((finished) => {
      posting -= 1;
      streak = finished.result.succeeded ? 0 : streak + 1;
      writer.add(finished);
      fill();
      wake();
    });
  }

  /** Requests that may be under way now. One may always follow when every result is known and nothing stopped. */
  function room(): number {
    return Math.max(roomUnderBreaker(parallel, threshold, streak), posting + writer.unwritten === 0 ? 1 : 0);
  }

  function fill(): void {
    while (!stopped && posting < room()) {
      const [next] = queue;
      if (!next || performance.now() - next.claimedAt >= staleMs) return;
      queue.shift();
      send(next.claimed);
    }
  }

  /** With caps, only what can be sent at once: what is given back would have been counted. */
  async function claim(): Promise<void> {
    const now = performance.now();
    size = now - claimedAt < batch.quickMs ? Math.min(2 * size, batch.most) : batch.least;
    const wanted = (capped ? room() : size) - posting - queue.length;
    if (wanted < (capped ? 1 : parallel)) return;
    claimedAt = now;
    const claimed = await (capped ? claimCapped : claimDue)(subscriptionId, wanted);
    mayClaim = claimed.length === wanted && performance.now() < until && !stopped;
    queue.push(...claimed.map((each) => ({ claimed: each, claimedAt: now })));
  }

  let failure: unknown = null;
  while (mayClaim || posting > 0 || queue.length > 0) {
    try {
      if (queue[0] && (stopped || performance.now() - queue[0].claimedAt >= staleMs)) {
        await releaseClaims(queue.splice(0).map(({ claimed }) => claimed));
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
    } else await writer.idle();
  }
  await writer.settled();
  if (failure) throw failure;
}
