import { newId } from '@/domain/ids';
import type { Prisma } from '@/generated/prisma/client';
import type { Context } from '@/server/context';
import { decryptSecret, encryptSecret } from '@/server/crypto';
import type { Tx } from '@/server/db';
import { closeBreaker, holdAll, releaseHeld, wakeQueues } from '@/server/delivery/queue/queue';
import { mintSigningSecret } from '@/server/delivery/rules';
import { refuse } from '@/server/errors';
import { audit, emit, type Origin } from '@/server/events/emit';
import { expectedVersion } from '@/server/if-match';
import { consumeAttempts } from '@/server/limits/rate-limit';
import {
  rotatedSecret,
  rotateSecretInput,
  signingSecret,
  subscription,
  testSent,
} from '@/server/routers/webhooks/schema';
import { presentSubscription, subscriptionSelect } from '@/server/routers/webhooks/subscriptions/subscriptions';
import { subscriptionProcedure, type TenantScope } from '@/server/trpc';

const tags = ['Webhooks'];
const path = '/webhooks/subscriptions/{id}';

type Gate = { ctx: Context & { scope: TenantScope; by: Origin }; input: { id: string } };

/** The row of a subscription for a step that changes it: locked until the transaction ends. @throws NOT_FOUND */
async function locked<S extends Prisma.WebhookSubscriptionSelect>(tx: Tx, { ctx, input }: Gate, select: S) {
  await tx.$queryRaw`SELECT id FROM webhook_subscription WHERE id = ${input.id} FOR UPDATE`;
  const row = await tx.webhookSubscription.findUnique({
    where: { id: input.id, projectId: ctx.scope.projectId },
    select,
  });
  if (!row) throw refuse('NOT_FOUND', { message: 'There is no such subscription.' });
  return row;
}

/** Holds a change to the version that the caller read, where they name one. @throws NOT_FOUND, VERSION_MISMATCH */
async function requireVersion(tx: Tx, gate: Gate): Promise<void> {
  const expected = expectedVersion(gate.ctx.ifMatch);
  if (expected === undefined) return;
  const { version } = await locked(tx, gate, { version: true });
  if (version !== expected) throw refuse('VERSION_MISMATCH');
}

function record(tx: Tx, { ctx, input }: Gate, action: string, details: Prisma.InputJsonObject = {}): Promise<void> {
  const { projectId } = ctx.scope;
  return audit(tx, ctx.by, { projectId, action, targetType: 'webhook_subscription', targetId: input.id, details });
}

export const pause = subscriptionProcedure('webhooks:write')
  .meta({
    openapi: {
      method: 'POST',
      path: `${path}/pause`,
      tags,
      summary: 'Pause a subscription',
      description:
        'Deliveries are made and held, and sent when it is resumed within their 24 hours. Pausing twice is the same as once.',
    },
    errors: ['NOT_FOUND', 'INVALID_STATE', 'VERSION_MISMATCH'],
  })
  .output(subscription)
  .mutation(async (gate) => {
    const { ctx, input } = gate;
    const row = await ctx.db.$transaction(async (tx) => {
      await requireVersion(tx, gate);
      const { status } = await locked(tx, gate, { status: true });
      if (status === 'disabled')
        throw refuse('INVALID_STATE', { message: 'The subscription is disabled; it sends nothing.' });
      if (status === 'active') {
        await tx.webhookSubscription.update({
          where: { id: input.id },
          data: { status: 'paused', pausedAt: new Date(), version: { increment: 1 } },
          select: { id: true },
        });
        await holdAll(tx, input.id);
        await record(tx, gate, 'webhook.pause');
      }
      return locked(tx, gate, subscriptionSelect);
    });
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
        'A paused one, or one that the sender disabled. What was held goes out in its order, unless its 24 hours are over: such deliveries expire, and a replay sends them.',
    },
    errors: ['NOT_FOUND', 'VERSION_MISMATCH'],
  })
  .output(subscription)
  .mutation(async (gate) => {
    const { ctx, input } = gate;
    const row = await ctx.db.$transaction(async (tx) => {
      await requireVersion(tx, gate);
      const { status } = await locked(tx, gate, { status: true });
      if (status !== 'active') {
        await tx.webhookSubscription.update({
          where: { id: input.id },
          data: {
            status: 'active',
            pausedAt: null,
            disabledAt: null,
            disabledReason: null,
            // A new chance after being disabled: neither the old failures nor their warning count.
            ...(status === 'disabled' ? { failingSince: null, failureWarnedAt: null } : {}),
            version: { increment: 1 },
          },
          select: { id: true },
        });
        if (status === 'disabled') await closeBreaker(tx, input.id);
        else await releaseHeld(tx, input.id);
        await record(tx, gate, 'webhook.resume', { from: status });
      }
      return locked(tx, gate, subscriptionSelect);
    });
    await wakeQueues([input.id]);
    return presentSubscription(row);
  });

export const resetBreaker = subscriptionProcedure('webhooks:write')
  .meta({
    openapi: {
      method: 'POST',
      path: `${path}/circuit-breaker/reset`,
      tags,
      summary: 'Close the circuit breaker',
      description: 'Deliveries that it held go out at once, also where the receiver had asked to wait.',
    },
    errors: ['NOT_FOUND', 'VERSION_MISMATCH'],
  })
  .output(subscription)
  .mutation(async (gate) => {
    const { ctx, input } = gate;
    const row = await ctx.db.$transaction(async (tx) => {
      await requireVersion(tx, gate);
      const { breakerState } = await locked(tx, gate, { breakerState: true });
      await closeBreaker(tx, input.id);
      await record(tx, gate, 'webhook.reset_breaker', { from: breakerState });
      return locked(tx, gate, subscriptionSelect);
    });
    await wakeQueues([input.id]);
    return presentSubscription(row);
  });

export const rotateSecret = subscriptionProcedure('webhooks:write')
  .meta({
    openapi: {
      method: 'POST',
      path: `${path}/rotate-secret`,
      tags,
      summary: 'Rotate the signing secret',
      description:
        'The new secret signs from now on. During the overlap `webhook-signature` holds a signature by each secret; `X-Webhook-Signature` and `signature` are by the new one. A secret before the last one ends at once.',
    },
    errors: ['NOT_FOUND', 'INVALID_STATE', 'VERSION_MISMATCH'],
  })
  .input(rotateSecretInput)
  .output(rotatedSecret)
  .mutation(async (gate) => {
    const { ctx, input } = gate;
    const secret = mintSigningSecret();
    return ctx.db.$transaction(async (tx) => {
      await requireVersion(tx, gate);
      const before = await locked(tx, gate, { signPayload: true, signingSecretEncrypted: true });
      if (!before.signPayload) {
        throw refuse('INVALID_STATE', { message: 'This subscription signs nothing. Switch signing on first.' });
      }
      const until = input.overlapHours > 0 ? new Date(Date.now() + input.overlapHours * 3_600_000) : null;
      await tx.webhookSubscription.update({
        where: { id: input.id },
        data: {
          signingSecretEncrypted: encryptSecret(secret),
          previousSecretEncrypted: until && before.signingSecretEncrypted,
          previousSecretUntil: until,
          version: { increment: 1 },
        },
        select: { id: true },
      });
      await record(tx, gate, 'webhook.rotate_secret', { overlapHours: input.overlapHours });
      return { signingSecret: secret, previousSecretUntil: until?.toISOString() ?? null };
    });
  });

export const revealSecret = subscriptionProcedure('webhooks:write')
  .meta({
    openapi: {
      method: 'POST',
      path: `${path}/reveal-secret`,
      tags,
      summary: 'Show the signing secret',
      description: 'Once more, for setting up a receiver. Who looked is in the audit log.',
    },
    errors: ['NOT_FOUND'],
  })
  .output(signingSecret)
  .mutation(async (gate) => {
    return gate.ctx.db.$transaction(async (tx) => {
      const row = await locked(tx, gate, { signingSecretEncrypted: true });
      if (!row.signingSecretEncrypted) {
        throw refuse('NOT_FOUND', { message: 'This subscription signs nothing, so it has no secret.' });
      }
      await record(tx, gate, 'webhook.reveal_secret');
      return { signingSecret: decryptSecret(row.signingSecretEncrypted) };
    });
  });

const testLimit = { points: 20, seconds: 60 };

export const test = subscriptionProcedure('webhooks:write')
  .meta({
    openapi: {
      method: 'POST',
      path: `${path}/test`,
      tags,
      summary: 'Send a test',
      description: 'A `webhook.test` event to this subscription at once, ahead of what waits. At most 20 a minute.',
    },
    status: 202,
    errors: ['NOT_FOUND', 'INVALID_STATE', 'TOO_MANY_ATTEMPTS'],
  })
  .output(testSent)
  .mutation(async (gate) => {
    const { ctx, input } = gate;
    const { projectId } = ctx.scope;
    await consumeAttempts('webhook-test', input.id, testLimit);
    const sent = await ctx.db.$transaction(async (tx) => {
      const { status, breakerState } = await locked(tx, gate, { status: true, breakerState: true });
      if (status !== 'active') {
        throw refuse('INVALID_STATE', { message: `The subscription is ${status}. Resume it, then send the test.` });
      }
      if (breakerState !== 'closed') {
        throw refuse('INVALID_STATE', { message: 'The circuit breaker is open. Reset it, then send the test.' });
      }
      const payload = { subscriptionId: input.id, message: 'This is a test.' };
      const [eventId = ''] = await emit(tx, ctx.by, {
        projectId,
        type: 'webhook.test',
        aggregateId: input.id,
        payload,
      });
      const deliveryId = newId('whd');
      // Due before anything else can be. The fan-out finds the delivery made and makes none.
      await tx.$executeRaw`
        INSERT INTO webhook_delivery (id, "subscriptionId", "projectId", "eventId", "eventType", "isTest", "nextAttemptAt", "expiresAt", "updatedAt")
        VALUES (${deliveryId}, ${input.id}, ${projectId}, ${eventId}, 'webhook.test', true, now() - interval '1 day', now() + interval '24 hours', now())`;
      await record(tx, gate, 'webhook.test', { deliveryId });
      return { deliveryId, eventId };
    });
    await wakeQueues([input.id]);
    return sent;
  });
