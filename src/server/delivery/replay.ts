import { db, pool, type Tx } from '@/server/db';
import { heldBy, requeue } from '@/server/delivery/queue/queue';
import { refuse } from '@/server/errors';

/** Which deliveries a replay sends again, as its row keeps it. Times are ISO 8601. */
export type ReplayFilter = {
  statuses: ('failed' | 'expired' | 'delivered' | 'held')[];
  type?: string;
  /** An attempt ended so. */
  errorClass?: string;
  from?: string;
  to?: string;
  deliveryIds?: string[];
};

/** Deliveries sent again by one statement. */
const batch = 1_000;
/** A step ends after this, so that a stop is not held up for long. */
const budgetMs = 3_000;

const MATCHING = `"subscriptionId" = $1 AND ($3::timestamptz IS NULL OR "createdAt" >= $3)
  AND "createdAt" < coalesce($4::timestamptz, 'infinity') AND ($5::text IS NULL OR "eventType" = $5)
  AND ($6::text IS NULL OR EXISTS (
    SELECT FROM webhook_attempt a WHERE a."deliveryId" = webhook_delivery.id AND a."errorClass" = $6))`;

const bounds = ({ from, to, type, errorClass }: ReplayFilter) => [
  from ?? null,
  to ?? null,
  type ?? null,
  errorClass ?? null,
];

/** How many deliveries a replay by filter would send again now. */
export async function countReplayable(tx: Tx, subscriptionId: string, filter: ReplayFilter): Promise<number> {
  const [row] = await tx.$queryRawUnsafe<{ count: number }[]>(
    `SELECT count(*)::int AS count FROM webhook_delivery WHERE status = ANY ($2::delivery_status[]) AND ${MATCHING}`,
    subscriptionId,
    filter.statuses,
    ...bounds(filter),
  );
  return row?.count ?? 0;
}

const RETRY_FAILED = `
  UPDATE webhook_delivery d SET status = (CASE WHEN ${heldBy} IS NULL THEN 'pending' ELSE 'held' END)::delivery_status,
    "heldReason" = ${heldBy}, "nextAttemptAt" = now(), "expiresAt" = now() + interval '24 hours', "completedAt" = NULL,
    "replayCount" = d."replayCount" + 1, "replayedAt" = now(), "updatedAt" = now()
  FROM webhook_subscription s WHERE s.id = $1 AND d."subscriptionId" = s.id AND d.status = 'failed'`;

/** Sends every failed delivery of a subscription again, in one statement. @returns how many */
export function requeueFailed(tx: Tx, subscriptionId: string): Promise<number> {
  return tx.$executeRawUnsafe(RETRY_FAILED, subscriptionId);
}

// What this replay has taken carries its time, so a step that runs again takes nothing twice.
const NEXT = `
  SELECT id, "createdAt"::text AS "createdAt" FROM webhook_delivery
  WHERE status = $2::delivery_status AND ${MATCHING} AND "createdAt" <= $7 AND ("replayedAt" IS NULL OR "replayedAt" < $7)
    AND ($8::timestamptz IS NULL OR ("createdAt", id) > ($8, $9))
  ORDER BY "createdAt", id LIMIT ${batch}`;

/** How far a replay is: which of its statuses, and after which delivery. */
export type ReplayPlace = { status: number; createdAt: string | null; id: string | null };

/**
 * Goes on with a replay from a place, for a few seconds, batch by batch; progress is written with each. Safe to repeat.
 * @returns where to go on, or null when it is finished (or gone with its subscription)
 */
export async function continueReplay(replayId: string, from: ReplayPlace): Promise<ReplayPlace | null> {
  const end = Date.now() + budgetMs;
  let place = from;
  while (Date.now() < end) {
    const next = await replayBatch(replayId, place);
    if (next === null) return null;
    place = next;
  }
  return place;
}

async function replayBatch(replayId: string, place: ReplayPlace): Promise<ReplayPlace | null> {
  const replay = await db.webhookReplay.findUnique({ where: { id: replayId } });
  if (!replay || replay.finishedAt) return null;
  const filter = replay.filter as ReplayFilter;
  const status = filter.statuses[place.status];
  return db.$transaction(async (tx) => {
    if (status === undefined) {
      await tx.$executeRaw`UPDATE webhook_replay SET "finishedAt" = now() WHERE id = ${replayId}`;
      return null;
    }
    const rows = await tx.$queryRawUnsafe<{ id: string; createdAt: string }[]>(
      NEXT,
      replay.subscriptionId,
      status,
      ...bounds(filter),
      replay.createdAt,
      place.createdAt,
      place.id,
    );
    const last = rows.at(-1);
    if (!last) return { status: place.status + 1, createdAt: null, id: null };
    const ids = rows.map((row) => row.id);
    const taken = await requeue(tx, ids);
    await tx.webhookReplay.update({
      where: { id: replayId },
      data: { done: { increment: taken.length } },
      select: { id: true },
    });
    return { status: place.status, createdAt: last.createdAt, id: last.id };
  });
}

/** Replays that should have gone on by now: their event or their run was lost. */
export async function forgottenReplays(afterSeconds: number, limit: number) {
  const found = await pool.query<{ id: string; subscriptionId: string }>(
    `SELECT id, "subscriptionId" FROM webhook_replay
     WHERE "finishedAt" IS NULL AND "createdAt" < now() - $1 * interval '1 second' ORDER BY "createdAt" LIMIT $2`,
    [afterSeconds, limit],
  );
  return found.rows;
}

/** A replay of a subscription. @throws NOT_FOUND */
export async function findReplay(subscriptionId: string, id: string) {
  const row = await db.webhookReplay.findUnique({ where: { id, subscriptionId } });
  if (!row) throw refuse('NOT_FOUND', { message: 'There is no such replay.' });
  return row;
}
