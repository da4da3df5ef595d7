import type { Tx } from '@/server/db';
import { closeBreaker } from '@/server/delivery/breaker';
import { pauseSubscription, resumeSubscription } from '@/server/delivery/pause';
import { triggerDelivery } from '@/server/delivery/sending/worker';
import { queueTestDelivery } from '@/server/delivery/test-delivery';
import { refuse } from '@/server/errors';
import { expectedVersion } from '@/server/if-match';
import { consumeAttempts } from '@/server/limits/rate-limit';
import { takeQuota } from '@/server/limits/take-quota';
import { auditSubscription } from '@/server/routers/webhooks/data';
import { subscriptionProcedure } from '@/server/routers/webhooks/gate';
import {
  countControl,
  lockSubscription,
  presentSubscription,
  subscriptionSelect,
} from '@/server/routers/webhooks/subscriptions/data';
import { subscription, testSent } from '@/server/routers/webhooks/subscriptions/schema';

const tags = ['Webhooks'];
const path = '/webhooks/subscriptions/{id}';

const controlSelect = { version: true, status: true, breakerState: true } as const;

type Key = { id: string; projectId: string };

/** Locks a subscription. @throws NOT_FOUND, VERSION_MISMATCH where `If-Match` names another version */
async function lockForChange(tx: Tx, key: Key, ifMatch: string | undefined) {
  const expected = expectedVersion(ifMatch);
  const row = await lockSubscription(tx, key, controlSelect);
  if (expected !== undefined && expected !== row.version) throw refuse('VERSION_MISMATCH');
  return row;
}

export const pause = subscriptionProcedure('webhooks:write')
  .meta({
    openapi: {
      method: 'POST',
      path: `${path}/pause`,
      tags,
      summary: 'Pause a subscription',
      description:
        'Its deliveries are held, and sent if it is resumed within 24 hours of their event. Pausing a paused subscription changes nothing.',
    },
    errors: ['NOT_FOUND', 'INVALID_STATE', 'VERSION_MISMATCH', 'TOO_MANY_ATTEMPTS'],
  })
  .output(subscription)
  .mutation(async ({ ctx, input }) => {
    const key = { id: input.id, projectId: ctx.scope.projectId };
    await countControl(input.id);
    const row = await ctx.db.$transaction(async (tx) => {
      const { status } = await lockForChange(tx, key, ctx.ifMatch);
      if (status === 'disabled') {
        throw refuse('INVALID_STATE', { message: 'The subscription is disabled; it sends nothing.' });
      }
      if (status === 'active') {
        await pauseSubscription(tx, input.id);
        await auditSubscription(tx, ctx.by, key, 'webhook.pause');
      }
      return tx.webhookSubscription.findUnique({ where: { id: input.id }, select: subscriptionSelect });
    });
    await triggerDelivery([input.id]);
    return presentSubscription(row);
  });

export const resume = subscriptionProcedure('webhooks:write')
  .meta({
    openapi: {
      method: 'POST',
      path: `${path}/resume`,
      tags,
      summary: 'Resume a subscription',
      description:
        'For a paused subscription, or one that was disabled automatically. Held deliveries are sent in their order. Those older than 24 hours have expired; a replay sends them.',
    },
    errors: ['NOT_FOUND', 'VERSION_MISMATCH', 'TOO_MANY_ATTEMPTS'],
  })
  .output(subscription)
  .mutation(async ({ ctx, input }) => {
    const key = { id: input.id, projectId: ctx.scope.projectId };
    await countControl(input.id);
    const row = await ctx.db.$transaction(async (tx) => {
      const { status } = await lockForChange(tx, key, ctx.ifMatch);
      if (status !== 'active') {
        await resumeSubscription(tx, input.id, status);
        await auditSubscription(tx, ctx.by, key, 'webhook.resume', { from: status });
      }
      return tx.webhookSubscription.findUnique({ where: { id: input.id }, select: subscriptionSelect });
    });
    await triggerDelivery([input.id]);
    return presentSubscription(row);
  });

export const resetBreaker = subscriptionProcedure('webhooks:write')
  .meta({
    openapi: {
      method: 'POST',
      path: `${path}/circuit-breaker/reset`,
      tags,
      summary: 'Close the circuit breaker',
      description: 'Sends the deliveries that it held at once, even if the receiver asked to wait by `Retry-After`.',
    },
    errors: ['NOT_FOUND', 'VERSION_MISMATCH', 'TOO_MANY_ATTEMPTS'],
  })
  .output(subscription)
  .mutation(async ({ ctx, input }) => {
    const key = { id: input.id, projectId: ctx.scope.projectId };
    await countControl(input.id);
    const row = await ctx.db.$transaction(async (tx) => {
      const { breakerState } = await lockForChange(tx, key, ctx.ifMatch);
      await closeBreaker(tx, input.id);
      await auditSubscription(tx, ctx.by, key, 'webhook.reset_breaker', { from: breakerState });
      return tx.webhookSubscription.findUnique({ where: { id: input.id }, select: subscriptionSelect });
    });
    await triggerDelivery([input.id]);
    return presentSubscription(row);
  });

const testLimit = { points: 20, seconds: 60 };

export const test = subscriptionProcedure('webhooks:write')
  .meta({
    openapi: {
      method: 'POST',
      path: `${path}/test`,
      tags,
      summary: 'Send a test',
      description:
        'Sends a `webhook.test` event to this subscription, ahead of waiting deliveries. At most 20 a minute.',
    },
    status: 202,
    errors: ['NOT_FOUND', 'INVALID_STATE', 'TOO_MANY_ATTEMPTS'],
    quotas: ['webhookTests'],
  })
  .output(testSent)
  .mutation(async ({ ctx, input }) => {
    const key = { id: input.id, projectId: ctx.scope.projectId };
    await consumeAttempts('webhook-test', input.id, testLimit);
    const sent = await ctx.db.$transaction(async (tx) => {
      const { status, breakerState } = await lockSubscription(tx, key, controlSelect);
      if (status !== 'active') {
        throw refuse('INVALID_STATE', { message: `The subscription is ${status}. Resume it, then send the test.` });
      }
      if (breakerState !== 'closed') {
        throw refuse('INVALID_STATE', { message: 'The circuit breaker is open. Reset it, then send the test.' });
      }
      // A webhook that is deleted and made again has not sent any.
      await takeQuota(tx, 'webhookTests', key.projectId);
      const queued = await queueTestDelivery(tx, ctx.by, key);
      await auditSubscription(tx, ctx.by, key, 'webhook.test', { deliveryId: queued.deliveryId });
      return queued;
    });
    await triggerDelivery([input.id]);
    return sent;
  });
