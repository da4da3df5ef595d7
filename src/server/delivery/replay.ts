import { newId } from '@/domain/ids';
import { retryWindowHours } from '@/domain/webhooks/retry';
import type { WebhookReplay } from '@/generated/prisma/client';
import { db, type Tx } from '@/server/db';
import { batchTurns } from '@/server/delivery/queue/batches';
import { holdReasonSql, queuedStatusSql, unclaimedSql } from '@/server/delivery/queue/hold';
import { triggerDelivery } from '@/server/delivery/sending/worker';
import { projectTurnSql, turnOfProject } from '@/server/events/project-turn';
import type { RelayedJob } from '@/server/events/relay';
import { type JobStep, sendAfterCommit } from '@/server/jobs/client';
import { webhookReplayRequested } from '@/server/jobs/events';
import { takeQuota } from '@/server/limits/take-quota';

/** Deliveries of a subscription. Times are ISO 8601. */
type DeliveryFilter = {
  statuses: readonly string[];
  type?: string;
  /** Deliveries with an attempt that ended with this error. */
  errorClass?: string;
  from?: string;
  to?: string;
};

/** Which deliveries a replay sends again, as its row stores it. */
export type ReplayFilter = DeliveryFilter & {
  statuses: ('failed' | 'expired' | 'delivered' | 'held')[];
  deliveryIds?: string[];
};

/** Deliveries that one statement reads, and sends again where they match. */
const batchSize = 200;
/** A step ends after this, so that neither a stop of the process nor the replays of others wait for it for long. */
const budgetMs = 1_000;
/** Steps in one run; a replay that needs more continues in another. */
const maxSteps = 100;

// A replay starts anew: within 24 hours from now, and with all retries.
const requeuedColumns = `status = ${queuedStatusSql}, "heldReason" = ${holdReasonSql}, "nextAttemptAt" = now(),
    "expiresAt" = now() + interval '${retryWindowHours} hours', "completedAt" = NULL,
    "replayCount" = d."replayCount" + 1, "replayedAt" = now(), "updatedAt" = now()`;

// What something else is sending again is left to it: batches of all projects would wait for its transaction, which takes
// seconds where it is about all that failed.
const REQUEUE = `
  UPDATE webhook_delivery d SET ${requeuedColumns}, "claimId" = NULL, "claimedUntil" = NULL
  FROM webhook_subscription s WHERE s.id = d."subscriptionId" AND d.id IN (
    SELECT id FROM webhook_delivery WHERE id = ANY ($1) AND ${unclaimedSql} FOR UPDATE SKIP LOCKED)
  RETURNING d.id`;

/**
 * Sends deliveries again, delivered ones included. Those of a subscription that sends nothing are held. Call
 * `triggerDelivery` after the commit.
 * @returns the ids that were queued; those with a request under way and unknown ones are not
 */
export async function requeue(tx: Tx, deliveryIds: string[]): Promise<string[]> {
  const queued = await tx.$queryRawUnsafe<{ id: string }[]>(REQUEUE, deliveryIds);
  return queued.map((row) => row.id);
}

const REQUEUE_FAILED = `
  UPDATE webhook_delivery d SET ${requeuedColumns}
  FROM webhook_subscription s WHERE s.id = $1 AND d."subscriptionId" = s.id AND d.status = 'failed' AND d.id IN (
    SELECT id FROM webhook_delivery WHERE "subscriptionId" = $1 AND status = 'failed' LIMIT $2)`;

/** Counts deliveries that a project sends again: each is stored with every one of its attempts. @throws QUOTA_EXCEEDED */
export async function takeReplays(tx: Tx, projectId: string, count: number): Promise<void> {
  if (count > 0) await takeQuota(tx, 'webhookReplays', projectId, count);
}

/**
 * Sends up to `failed` failed deliveries of a subscription again, in one statement: those who wait for it each hold a connection.
 * @returns how many
 * @throws QUOTA_EXCEEDED before any is changed
 */
export async function requeueFailed(
  tx: Tx,
  { id, projectId }: { id: string; projectId: string },
  failed: number,
): Promise<number> {
  await takeReplays(tx, projectId, failed);
  return tx.$executeRawUnsafe(REQUEUE_FAILED, id, failed);
}

const WITHIN_TIME = `"subscriptionId" = $1 AND "createdAt" >= coalesce($3::timestamptz, '-infinity')
  AND "createdAt" < coalesce($4::timestamptz, 'infinity')`;
// The first error from this one on, by the order of the index webhook_attempt_error: with EXISTS, PostgreSQL may read thousands of
// attempts, since it expects one of a common error soon.
const OF_KIND = `($5::text IS NULL OR "eventType" = $5) AND ($6::text IS NULL OR $6 = (
    SELECT "errorClass" FROM webhook_attempt a WHERE a."deliveryId" = webhook_delivery.id AND a."errorClass" >= $6
    ORDER BY "errorClass" LIMIT 1))`;
const MATCHES_FILTER = `${WITHIN_TIME} AND ${OF_KIND}`;

/** The parameters $3 to $6 of `MATCHES_FILTER`. */
const filterValues = ({ from, to, type, errorClass }: DeliveryFilter) => [
  from ?? null,
  to ?? null,
  type ?? null,
  errorClass ?? null,
];

/** The statement that counts the deliveries that match a filter, up to `most` where that is given. */
export const countStatement = (subscriptionId: string, filter: DeliveryFilter, most: number | null = null) => ({
  text: `SELECT count(*)::int AS count FROM (
    SELECT FROM webhook_delivery WHERE status = ANY ($2::delivery_status[]) AND ${MATCHES_FILTER} LIMIT $7) d`,
  values: [subscriptionId, filter.statuses, ...filterValues(filter), most],
});

/** The statement that finds the ids of a page of them, newest first. */
export const pageStatement = (subscriptionId: string, filter: DeliveryFilter, skip: number, take: number) => ({
  text: `SELECT id FROM webhook_delivery WHERE status = ANY ($2::delivery_status[]) AND ${MATCHES_FILTER}
    ORDER BY "createdAt" DESC, id DESC LIMIT $7 OFFSET $8`,
  values: [subscriptionId, filter.statuses, ...filterValues(filter), take, skip],
});

type NewReplay = { subscriptionId: string; projectId: string; filter: ReplayFilter; createdById: string };

/**
 * Creates a replay. Deliveries that the filter names by id are queued at once; others wait for `startReplay`.
 * @param matching how many deliveries match the filter, where it names none by id
 * @returns null where `filter.deliveryIds` names no delivery of the subscription
 * @throws Prisma's unique violation while another replay of the subscription runs; QUOTA_EXCEEDED
 */
export async function createReplay(tx: Tx, replay: NewReplay, matching: number): Promise<WebhookReplay | null> {
  const { subscriptionId, filter } = replay;
  const named = filter.deliveryIds
    ? await tx.webhookDelivery.findMany({
        where: { subscriptionId, id: { in: filter.deliveryIds } },
        select: { id: true },
      })
    : null;
  if (named?.length === 0) return null;
  const total = named ? named.length : matching;
  const ids = named?.map(({ id }) => id) ?? [];
  await takeReplays(tx, replay.projectId, total);
  const queued = named ? await requeue(tx, ids) : [];
  const finishedAt = named || total === 0 ? new Date() : null;
  return tx.webhookReplay.create({ data: { ...replay, id: newId('whr'), total, done: queued.length, finishedAt } });
}

/** Has a new replay sent. Call it after the commit of what created it. */
export async function startReplay(replay: WebhookReplay): Promise<void> {
  const { id, subscriptionId, projectId, createdById, finishedAt } = replay;
  if (finishedAt) return triggerDelivery([subscriptionId]);
  const { owner: turn } = await turnOfProject(projectId);
  await sendAfterCommit(webhookReplayRequested.create({ replayId: id, subscriptionId, turn, userId: createdById }));
}

/**
 * Reads the next deliveries of a replay. What it has queued has a newer `replayedAt`, so that a step that runs again queues nothing
 * twice. What does not match is read too, so that no batch passes over all that a subscription has.
 */
export const NEXT = `
  SELECT id, "createdAt"::text AS at, (("replayedAt" IS NULL OR "replayedAt" < $7) AND ${OF_KIND}) AS matches FROM webhook_delivery
  WHERE status = $2::delivery_status AND ${WITHIN_TIME} AND "createdAt" <= $7
    AND ("createdAt", id) > (coalesce($8::timestamptz, '-infinity'), coalesce($9, ''))
  ORDER BY "createdAt", id LIMIT ${batchSize}`;

/** How far a replay is: the index of the status in its filter, and the last delivery of that status. */
export type ReplayCursor = { status: number; createdAt: string | null; id: string | null };

const start: ReplayCursor = { status: 0, createdAt: null, id: null };

/**
 * Continues a replay from a cursor for a few seconds, batch by batch; progress is written with each batch. Safe to repeat.
 * @returns where to continue; null when it is finished, or deleted with its subscription
 */
export async function continueReplay(replayId: string, from: ReplayCursor): Promise<ReplayCursor | null> {
  const end = Date.now() + budgetMs;
  const replay = await db.webhookReplay.findUnique({ where: { id: replayId }, select: { projectId: true } });
  if (!replay) return null;
  const turn = await turnOfProject(replay.projectId);
  let cursor = from;
  while (Date.now() < end) {
    const { next } = await batchTurns.run(turn, async () => {
      const reached = await replayBatch(replayId, cursor);
      return { next: reached, full: reached !== null };
    });
    if (next === null) return null;
    cursor = next;
  }
  return cursor;
}

async function replayBatch(replayId: string, cursor: ReplayCursor): Promise<ReplayCursor | null> {
  const replay = await db.webhookReplay.findUnique({ where: { id: replayId } });
  if (!replay || replay.finishedAt) return null;
  const filter = replay.filter as ReplayFilter;
  const status = filter.statuses[cursor.status];
  return db.$transaction(async (tx) => {
    // It sends no more than was counted for it.
    const left = replay.total - replay.done;
    if (status === undefined || left <= 0) {
      await tx.$executeRaw`UPDATE webhook_replay SET "finishedAt" = now() WHERE id = ${replayId}`;
      return null;
    }
    const rows = await tx.$queryRawUnsafe<{ id: string; at: string; matches: boolean }[]>(
      NEXT,
      replay.subscriptionId,
      status,
      ...filterValues(filter),
      replay.createdAt,
      cursor.createdAt,
      cursor.id,
    );
    const last = rows.at(-1);
    if (!last) return { status: cursor.status + 1, createdAt: null, id: null };
    const matching = rows.filter(({ matches }) => matches).slice(0, left);
    const queued = await requeue(
      tx,
      matching.map(({ id }) => id),
    );
    await tx.webhookReplay.update({
      where: { id: replayId },
      data: { done: { increment: queued.length }, continuedAt: new Date() },
      select: { id: true },
    });
    return { status: cursor.status, createdAt: last.at, id: last.id };
  });
}

type Requested = { replayId: string; subscriptionId: string; turn: string; userId: string };

/** One run of a replay: queues its deliveries in their order and has them sent as it goes. */
export async function runReplay(requested: Requested, step: JobStep): Promise<void> {
  const { replayId, subscriptionId } = requested;
  let cursor = start;
  for (let index = 1; index <= maxSteps; index += 1) {
    const from = cursor;
    const next = await step.run(`batch-${index}`, async () => {
      const reached = await continueReplay(replayId, from);
      await triggerDelivery([subscriptionId]);
      return reached;
    });
    if (next === null) return;
    cursor = next;
  }
  await step.sendEvent('continue', webhookReplayRequested.create(requested));
}

/** Replays whose event or run was lost. */
export const stalledReplays: RelayedJob<Requested> = {
  name: 'replays',
  overdue: `
    SELECT id, "projectId",
      jsonb_build_object('replayId', id, 'subscriptionId', "subscriptionId", 'userId', "createdById",
        'turn', coalesce(${projectTurnSql('r."projectId"')}, "projectId")) AS data
    FROM webhook_replay r WHERE "finishedAt" IS NULL AND "continuedAt" <= now() - $1::interval`,
  events: (due) => due.map(({ data }) => webhookReplayRequested.create(data)),
};
