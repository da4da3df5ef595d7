import { newId } from '@/domain/ids';
import type { Prisma } from '@/generated/prisma/client';
import { isUniqueViolation } from '@/server/db';
import { requeue, wakeQueues } from '@/server/delivery/queue/queue';
import { countReplayable, findReplay, type ReplayFilter, requeueFailed } from '@/server/delivery/replay';
import { refuse } from '@/server/errors';
import { audit } from '@/server/events/emit';
import { inngest } from '@/server/jobs/client';
import { webhookReplayRequested } from '@/server/jobs/events';
import { consumeAttempts } from '@/server/limits/rate-limit';
import { pageArgs, toPage } from '@/server/paging';
import {
  deliveryInput,
  deliverySummary,
  listReplaysInput,
  replayEstimate,
  replayInput,
  replayManyInput,
  replayPage,
  replayPreviewInput,
  replay as replayShape,
  retriedFailed,
} from '@/server/routers/webhooks/schema';
import { subscriptionProcedure } from '@/server/trpc';

const tags = ['Webhooks'];
const path = '/webhooks/subscriptions/{id}';
/** By hand, one by one; and in bulk, where each may be everything that a subscription ever failed to take. */
const limits = { one: { points: 120, seconds: 60 }, many: { points: 20, seconds: 600 } };

/** One statement moves a hundred thousand deliveries in five seconds; more of them would pass the usual limit of a transaction. */
const manyAtOnce = { timeout: 120_000 };

export const replaySelect = {
  id: true,
  subscriptionId: true,
  filter: true,
  total: true,
  done: true,
  createdAt: true,
  finishedAt: true,
} as const satisfies Prisma.WebhookReplaySelect;

type Row = Prisma.WebhookReplayGetPayload<{ select: typeof replaySelect }>;

/** A replay as its owner reads it. */
export function presentReplay({ id, subscriptionId, filter, total, done, createdAt, finishedAt }: Row) {
  return {
    id,
    subscriptionId,
    filter: filter as Prisma.JsonObject,
    total,
    done,
    createdAt: createdAt.toISOString(),
    finishedAt: finishedAt?.toISOString() ?? null,
  };
}

type Asked = { status?: ReplayFilter['statuses'][number] } & Omit<ReplayFilter, 'statuses' | 'deliveryIds'>;

function filterOf({ status, type, errorClass, from, to }: Asked): ReplayFilter {
  return {
    statuses: status ? [status] : ['failed', 'expired'],
    ...(type ? { type } : {}),
    ...(errorClass ? { errorClass } : {}),
    ...(from ? { from } : {}),
    ...(to ? { to } : {}),
  };
}

export const replayPreview = subscriptionProcedure('webhooks:read')
  .meta({
    openapi: {
      method: 'GET',
      path: `${path}/replay`,
      tags,
      summary: 'Count what a replay would send',
      description: 'By the filter that the replay itself takes.',
    },
    errors: ['NOT_FOUND'],
  })
  .input(replayPreviewInput)
  .output(replayEstimate)
  .query(async ({ ctx, input }) => ({ total: await countReplayable(ctx.db, input.id, filterOf(input)) }));

export const replayMany = subscriptionProcedure('webhooks:write')
  .meta({
    openapi: {
      method: 'POST',
      path: `${path}/replay`,
      tags,
      summary: 'Send many deliveries again',
      description:
        'By status, event type and time, or by their ids. The same events go out with all their retries, within 24 hours from now. Runs in the background, one at a time for each subscription; read the replay for its progress.',
    },
    status: 202,
    errors: ['NOT_FOUND', 'CONFLICT', 'TOO_MANY_ATTEMPTS'],
  })
  .input(replayManyInput)
  .output(replayShape)
  .mutation(async ({ ctx, input }) => {
    const { projectId } = ctx.scope;
    await consumeAttempts('webhook-replay-many', input.id, limits.many);
    const { deliveryIds } = input;
    const filter: ReplayFilter = { ...filterOf(input), ...(deliveryIds ? { deliveryIds } : {}) };
    const row = await ctx.db.$transaction(async (tx) => {
      const named = deliveryIds
        ? await tx.webhookDelivery.findMany({
            where: { subscriptionId: input.id, id: { in: deliveryIds } },
            select: { id: true },
          })
        : null;
      if (named?.length === 0) throw refuse('NOT_FOUND', { message: 'None of these deliveries exists.' });
      const total = named ? named.length : await countReplayable(tx, input.id, filter);
      const taken = named
        ? await requeue(
            tx,
            named.map(({ id }) => id),
          )
        : [];
      const made = await tx.webhookReplay
        .create({
          data: {
            id: newId('whr'),
            subscriptionId: input.id,
            projectId,
            filter,
            total,
            done: taken.length,
            createdById: ctx.actingUser.id,
            finishedAt: named || total === 0 ? new Date() : null,
          },
          select: replaySelect,
        })
        .catch((error: unknown) => {
          if (!isUniqueViolation(error)) throw error;
          throw refuse('CONFLICT', { message: 'A replay of this subscription is running. Wait until it is finished.' });
        });
      await audit(tx, ctx.by, {
        projectId,
        action: 'webhook.replay_many',
        targetType: 'webhook_subscription',
        targetId: input.id,
        details: { replayId: made.id, total, filter: { ...filter, deliveryIds: deliveryIds?.length } },
      });
      return made;
    });
    if (row.finishedAt) await wakeQueues([input.id]);
    else await inngest.send(webhookReplayRequested.create({ replayId: row.id, subscriptionId: input.id }));
    return presentReplay(row);
  });

export const replays = subscriptionProcedure('webhooks:read')
  .meta({
    openapi: {
      method: 'GET',
      path: `${path}/replays`,
      tags,
      summary: 'List replays',
      description: 'Bulk replays of a subscription with their progress, newest first.',
    },
    errors: ['NOT_FOUND'],
  })
  .input(listReplaysInput)
  .output(replayPage)
  .query(async ({ ctx, input }) => {
    const where = { subscriptionId: input.id };
    const [rows, total] = await Promise.all([
      ctx.db.webhookReplay.findMany({
        where,
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
        select: replaySelect,
        ...pageArgs(input),
      }),
      ctx.db.webhookReplay.count({ where }),
    ]);
    return toPage(rows.map(presentReplay), total, input);
  });

export const replayProgress = subscriptionProcedure('webhooks:read')
  .meta({
    openapi: {
      method: 'GET',
      path: `${path}/replays/{replayId}`,
      tags,
      summary: 'Read a replay',
      description: 'How many of its deliveries were taken so far.',
    },
    errors: ['NOT_FOUND'],
  })
  .input(replayInput)
  .output(replayShape)
  .query(async ({ input }) => presentReplay(await findReplay(input.id, input.replayId)));

export const replay = subscriptionProcedure('webhooks:write')
  .meta({
    openapi: {
      method: 'POST',
      path: `${path}/deliveries/{deliveryId}/replay`,
      tags,
      summary: 'Send a delivery again',
      description:
        'Whatever became of it, delivered included: the same event, with new attempt numbers and all its retries, within 24 hours from now. Behind a pause or an open breaker it is held first. At most 120 a minute.',
    },
    status: 202,
    errors: ['NOT_FOUND', 'INVALID_STATE', 'TOO_MANY_ATTEMPTS'],
  })
  .input(deliveryInput)
  .output(deliverySummary)
  .mutation(async ({ ctx, input }) => {
    const { projectId } = ctx.scope;
    await consumeAttempts('webhook-replay', input.id, limits.one);
    const row = await ctx.db.$transaction(async (tx) => {
      const where = { id: input.deliveryId, subscriptionId: input.id };
      const found = await tx.webhookDelivery.findUnique({ where, select: { id: true, status: true } });
      if (!found) throw refuse('NOT_FOUND', { message: 'There is no such delivery.' });
      const [taken] = await requeue(tx, [found.id]);
      if (!taken) throw refuse('INVALID_STATE', { message: 'An attempt is under way. Wait for its result.' });
      await audit(tx, ctx.by, {
        projectId,
        action: 'webhook.replay',
        targetType: 'webhook_subscription',
        targetId: input.id,
        details: { deliveryId: found.id, from: found.status },
      });
      return tx.webhookDelivery.findUniqueOrThrow({
        where,
        select: { id: true, status: true, replayCount: true, attemptCount: true },
      });
    });
    await wakeQueues([input.id]);
    return row;
  });

export const retryFailed = subscriptionProcedure('webhooks:write')
  .meta({
    openapi: {
      method: 'POST',
      path: `${path}/retry-failed`,
      tags,
      summary: 'Send all failed deliveries again',
      description:
        'Every delivery that is failed now, with all its retries, within 24 hours from now. Expired ones are not among them; replay them by filter.',
    },
    status: 202,
    errors: ['NOT_FOUND', 'TOO_MANY_ATTEMPTS'],
  })
  .output(retriedFailed)
  .mutation(async ({ ctx, input }) => {
    const { projectId } = ctx.scope;
    await consumeAttempts('webhook-replay-many', input.id, limits.many);
    const requeued = await ctx.db.$transaction(async (tx) => {
      const count = await requeueFailed(tx, input.id);
      await audit(tx, ctx.by, {
        projectId,
        action: 'webhook.retry_failed',
        targetType: 'webhook_subscription',
        targetId: input.id,
        details: { requeued: count },
      });
      return count;
    }, manyAtOnce);
    if (requeued > 0) await wakeQueues([input.id]);
    return { requeued };
  });
