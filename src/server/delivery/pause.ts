import type { Tx } from '@/server/db';
import { closeBreaker } from '@/server/delivery/breaker';
import { holdDeliveries, releaseDeliveries } from '@/server/delivery/queue/hold';

/**
 * Pauses an active subscription, whose row the caller has locked, and holds its deliveries. Call `triggerDelivery` after the
 * commit.
 */
export async function pauseSubscription(tx: Tx, subscriptionId: string): Promise<void> {
  await tx.webhookSubscription.update({
    where: { id: subscriptionId },
    data: { status: 'paused', pausedAt: new Date(), version: { increment: 1 } },
    select: { id: true },
  });
  await holdDeliveries(tx, subscriptionId);
}

/**
 * Activates a paused or disabled subscription, whose row the caller has locked, and releases its deliveries. Call
 * `triggerDelivery` after the commit.
 */
export async function resumeSubscription(tx: Tx, subscriptionId: string, from: 'paused' | 'disabled'): Promise<void> {
  await tx.webhookSubscription.update({
    where: { id: subscriptionId },
    data: {
      status: 'active',
      pausedAt: null,
      disabledAt: null,
      disabledReason: null,
      // The failures from before it was disabled, and their warning, no longer count.
      ...(from === 'disabled' ? { failingSince: null, failureWarnedAt: null } : {}),
      version: { increment: 1 },
    },
    select: { id: true },
  });
  if (from === 'disabled') await closeBreaker(tx, subscriptionId);
  else await releaseDeliveries(tx, subscriptionId);
}

/**
 * Disables a subscription that is to be deleted, before its deliveries are.
 * @param version the one that it must have; undefined: any
 * @returns whether there was such a subscription
 */
export async function disableSubscription(
  tx: Tx,
  key: { id: string; projectId: string },
  version: number | undefined,
): Promise<boolean> {
  const { count } = await tx.webhookSubscription.updateMany({
    where: { ...key, version },
    data: { status: 'disabled', disabledAt: new Date(), disabledReason: 'manual', version: { increment: 1 } },
  });
  return count > 0;
}
