import { Prisma } from '@/generated/prisma/client';
import { type Context, readerOf } from '@/server/context';
import { isUniqueViolation, type Tx } from '@/server/db';
import { keptSubscriptionsSql } from '@/server/delivery/attempts/deletions';
import {
  countStatement,
  createReplay,
  type ReplayFilter,
  requeue,
  requeueFailed,
  startReplay,
  takeReplays,
} from '@/server/delivery/replay';
import { triggerDelivery } from '@/server/delivery/sending/worker';
import { refuse } from '@/server/errors';
import { limitOf } from '@/server/limits/quotas';
import { consumeAttempts } from '@/server/limits/rate-limit';
import { usedOfRates } from '@/server/limits/used-rates';
import { boundPage, ordinaryItem, pageArgs, toPage } from '@/server/paging';
import { type Asker, report } from '@/server/report';
import { auditSubscription } from '@/server/routers/webhooks/data';
import { presentReplay, replaySelect } from '@/server/routers/webhooks/deliveries/data';
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
} from '@/server/routers/webhooks/deliveries/schema';
import { subscriptionProcedure } from '@/server/routers/webhooks/gate';

const tags = ['Webhooks'];
const path = '/webhooks/subscriptions/{id}';
/** Replays of one delivery, and bulk replays, each of which may be of everything that a subscription did not receive. */
const limits = { one: { points: 120, seconds: 60 }, many: { points: 20, seconds: 600 } };

/** Failed deliveries that one statement sends again; more are sent by a replay, because 100,000 take it five seconds. */
const maxAtOnce = 1_000;

type Key = { id: string; projectId: string };
type Counting = Pick<Context, 'db' | 'ip' | 'user'>;
type FilterInput = { status?: ReplayFilter['statuses'][number] } & Omit<ReplayFilter, 'statuses' | 'deliveryIds'>;

function filterOf({ status, type, errorClass, from, to }: FilterInput): ReplayFilter {
  return {
    statuses: status ? [status] : ['failed', 'expired'],
    ...(type ? { type } : {}),
    ...(errorClass ? { errorClass } : {}),
    ...(from ? { from } : {}),
    ...(to ? { to } : {}),
  };
}

async function countMatching(asker: Asker, subscriptionId: string, filter: ReplayFilter, most?: number) {
  const [row] = await report<{ count: number }>(asker, countStatement(subscriptionId, filter, most));
  return row?.count ?? 0;
}

const hasRunning = async (tx: Tx, subscriptionId: string) =>
  (await tx.webhookReplay.findFirst({ where: { subscriptionId, finishedAt: null }, select: { id: true } })) !== null;

/** How many match, up to the first that is refused anyway: the one past `most`, or past what the project may still send again. */
async function countAllowed(
  ctx: Counting,
  { id, projectId }: Key,
  filter: ReplayFilter,
  most = Number.MAX_SAFE_INTEGER,
) {
  const { webhookReplays: used = 0 } = await usedOfRates(ctx.db, 'project', projectId);
  const left = Math.max(limitOf('webhookReplays') - used, 0);
  return countMatching(await readerOf(ctx), id, filter, Math.min(left, most) + 1);
}

const conflict = () =>
  refuse('CONFLICT', { message: 'A replay of this subscription is running. Wait until it is finished.' });

/** @throws NOT_FOUND where the subscription is deleted or being deleted; CONFLICT, QUOTA_EXCEEDED */
async function beginReplay(tx: Tx, replay: Parameters<typeof createReplay>[1], matching: number) {
  const kept = await tx.$queryRawUnsafe<unknown[]>(keptSubscriptionsSql('$1'), [replay.subscriptionId]);
  if (kept.length === 0) throw refuse('NOT_FOUND', { message: 'There is no such subscription.' });
  return createReplay(tx, replay, matching).catch((error: unknown) => {
    throw isUniqueViolation(error) ? conflict() : error;
  });
}

export const replayPreview = subscriptionProcedure('webhooks:read')
  .meta({
    openapi: {
      method: 'GET',
      path: `${path}/replay`,
      tags,
      summary: 'Count what a replay would send',
      description: 'By the same filter as the replay itself.',
    },
    errors: ['NOT_FOUND'],
  })
  .input(replayPreviewInput)
  .output(replayEstimate)
  .query(async ({ ctx, input }) => ({ total: await countMatching(await readerOf(ctx), input.id, filterOf(input)) }));

export const replayMany = subscriptionProcedure('webhooks:write')
  .meta({
    openapi: {
      method: 'POST',
      path: `${path}/replay`,
      tags,
      summary: 'Send many deliveries again',
      description:
        'By status, event type and time, or by their ids. The same events are sent with all their retries, within 24 hours from now. Replays run in the background, one at a time for each subscription; read the replay for its progress.',
    },
    status: 202,
    errors: ['NOT_FOUND', 'CONFLICT', 'TOO_MANY_ATTEMPTS'],
    quotas: ['webhookReplays'],
  })
  .input(replayManyInput)
  .output(replayShape)
  .mutation(async ({ ctx, input }) => {
    const key = { id: input.id, projectId: ctx.scope.projectId };
    await consumeAttempts('webhook-replay-many', input.id, limits.many);
    const { deliveryIds } = input;
    const filter: ReplayFilter = { ...filterOf(input), ...(deliveryIds ? { deliveryIds } : {}) };
    const replay = { subscriptionId: key.id, projectId: key.projectId, filter, createdById: ctx.actingUser.id };
    if (!deliveryIds && (await hasRunning(ctx.db, key.id))) throw conflict();
    const matching = deliveryIds ? 0 : await countAllowed(ctx, key, filter);
    const row = await ctx.db.$transaction(async (tx) => {
      const created = await beginReplay(tx, replay, matching);
      if (!created) throw refuse('NOT_FOUND', { message: 'None of these deliveries exists.' });
      const details = {
        replayId: created.id,
        total: created.total,
        filter: { ...filter, deliveryIds: deliveryIds?.length },
      };
      await auditSubscription(tx, ctx.by, key, 'webhook.replay_many', details);
      return created;
    });
    await startReplay(row);
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
    // The expression of the index webhook_replay_large.
    const bytes = Prisma.sql`octet_length("filter"::text)`;
    const [total, [largest]] = await Promise.all([
      ctx.db.webhookReplay.count({ where }),
      ctx.db.$queryRaw<{ bytes: number | null }[]>`
        SELECT max(${bytes}) AS bytes FROM "webhook_replay"
        WHERE "subscriptionId" = ${input.id} AND ${bytes} > ${Prisma.raw(String(ordinaryItem.bytes))}`,
    ]);
    const page = boundPage(input, { bytes: largest?.bytes });
    const rows = await ctx.db.webhookReplay.findMany({
      where,
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      select: replaySelect,
      ...pageArgs(page),
    });
    return toPage(rows.map(presentReplay), total, page);
  });

export const replayProgress = subscriptionProcedure('webhooks:read')
  .meta({
    openapi: {
      method: 'GET',
      path: `${path}/replays/{replayId}`,
      tags,
      summary: 'Read a replay',
      description: 'How many of its deliveries have been queued so far.',
    },
    errors: ['NOT_FOUND'],
  })
  .input(replayInput)
  .output(replayShape)
  .query(async ({ ctx, input }) => {
    const where = { id: input.replayId, subscriptionId: input.id };
    const row = await ctx.db.webhookReplay.findUnique({ where, select: replaySelect });
    if (!row) throw refuse('NOT_FOUND', { message: 'There is no such replay.' });
    return presentReplay(row);
  });

export const replay = subscriptionProcedure('webhooks:write')
  .meta({
    openapi: {
      method: 'POST',
      path: `${path}/deliveries/{deliveryId}/replay`,
      tags,
      summary: 'Send a delivery again',
      description:
        'Works for every status, also `delivered`. Sends the same event with new attempt numbers and all its retries, within 24 hours from now. While the subscription is paused, disabled or behind an open breaker, the delivery is held. At most 120 a minute.',
    },
    status: 202,
    errors: ['NOT_FOUND', 'INVALID_STATE', 'TOO_MANY_ATTEMPTS'],
    quotas: ['webhookReplays'],
  })
  .input(deliveryInput)
  .output(deliverySummary)
  .mutation(async ({ ctx, input }) => {
    const key = { id: input.id, projectId: ctx.scope.projectId };
    await consumeAttempts('webhook-replay', input.id, limits.one);
    const row = await ctx.db.$transaction(async (tx) => {
      const where = { id: input.deliveryId, subscriptionId: input.id };
      const found = await tx.webhookDelivery.findUnique({ where, select: { id: true, status: true } });
      if (!found) throw refuse('NOT_FOUND', { message: 'There is no such delivery.' });
      await takeReplays(tx, key.projectId, 1);
      const [queued] = await requeue(tx, [found.id]);
      if (!queued) throw refuse('INVALID_STATE', { message: 'An attempt is under way. Wait for its result.' });
      await auditSubscription(tx, ctx.by, key, 'webhook.replay', { deliveryId: found.id, from: found.status });
      return tx.webhookDelivery.findUniqueOrThrow({
        where,
        select: { id: true, status: true, replayCount: true, attemptCount: true },
      });
    });
    await triggerDelivery([input.id]);
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
        'Sends every delivery whose status is `failed`, with all its retries, within 24 hours from now. Expired ones are not included; replay them by filter. More than 1,000 are sent by a replay in the background.',
    },
    status: 202,
    errors: ['NOT_FOUND', 'CONFLICT', 'TOO_MANY_ATTEMPTS'],
    quotas: ['webhookReplays'],
  })
  .output(retriedFailed)
  .mutation(async ({ ctx, input }) => {
    const key = { id: input.id, projectId: ctx.scope.projectId };
    await consumeAttempts('webhook-replay-many', input.id, limits.many);
    const filter: ReplayFilter = { statuses: ['failed'] };
    const failed = await countAllowed(ctx, key, filter, (await hasRunning(ctx.db, key.id)) ? maxAtOnce : undefined);
    const replay = { subscriptionId: key.id, projectId: key.projectId, filter, createdById: ctx.actingUser.id };
    const [requeued, begun] = await ctx.db.$transaction(async (tx) => {
      const inBackground = failed > maxAtOnce ? await beginReplay(tx, replay, failed) : null;
      const count = inBackground ? failed : await requeueFailed(tx, key, failed);
      await auditSubscription(tx, ctx.by, key, 'webhook.retry_failed', { requeued: count });
      return [count, inBackground] as const;
    });
    if (begun) await startReplay(begun);
    else if (requeued > 0) await triggerDelivery([input.id]);
    return { requeued };
  });
