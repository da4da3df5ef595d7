import { claimDue, claimProbe, claimRateLimited } from '@/server/delivery/attempts/claim';
import { expireOverdue } from '@/server/delivery/queue/expire';
import { holdBehindBreaker, reconcileQueue } from '@/server/delivery/queue/hold';
import { needsReconciling, nextAction } from '@/server/delivery/queue/next-run';
import { type NextRun, nextRun, type Queue, readQueue } from '@/server/delivery/queue/queue';
import { QueueSender } from '@/server/delivery/sending/send-queue';

/** No claim is made later than this, so that a queue is looked at again now and then. */
const budgetMs = 5_000;

/**
 * Attempts what is due for one subscription, several requests at a time, until nothing is due, something holds it, or the
 * budget is used up. Behind an open breaker that is one probe. Safe to run in several processes at once and again after a
 * crash: each attempt is claimed in the database first.
 * @param onSender called with the sender of its requests, which can be stopped
 * @returns when to run the queue again; null when only a new delivery, or its owner, makes that necessary
 */
export async function drainQueue(
  subscriptionId: string,
  onSender: (sender: QueueSender) => void = () => undefined,
): Promise<NextRun | null> {
  const queue = await readReconciledQueue(subscriptionId);
  const action = queue ? nextAction(queue) : 'wait';
  if (!queue || action === 'wait') return nextRun(queue);
  const owner = { ...queue, id: subscriptionId };
  if (action === 'send') {
    const claim = queue.rateLimited ? claimRateLimited : claimDue;
    const sender = new QueueSender(owner, claim, true, { until: performance.now() + budgetMs });
    onSender(sender);
    await sender.start().done;
  } else {
    const probe = await claimProbe(subscriptionId);
    const sender = new QueueSender({ ...owner, threshold: null }, claimDue, false);
    onSender(sender);
    await sender.start(probe ? [probe] : []).done;
  }
  await expireOverdue(subscriptionId);
  return nextRun(await readReconciledQueue(subscriptionId));
}

async function readReconciledQueue(subscriptionId: string): Promise<Queue | null> {
  const queue = await readQueue(subscriptionId);
  if (!queue || !needsReconciling(queue)) return queue;
  const reconcile = queue.holdReason === 'breaker' ? holdBehindBreaker : reconcileQueue;
  const moved = await reconcile({ id: subscriptionId, projectId: queue.projectId });
  return moved > 0 ? readQueue(subscriptionId) : queue;
}
