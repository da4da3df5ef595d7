import { pool, queuePool } from '@/server/db';
import { unexpiredSql } from '@/server/delivery/queue/expire';
import { holdReasonSql, unclaimedSql } from '@/server/delivery/queue/hold';
import { msUntilNextRun, type QueueState } from '@/server/delivery/queue/next-run';
import { allowance, RATE_BUCKETS, type RateBucket, type RateLimits } from '@/server/delivery/queue/rate-limits';
import { noteOwner, statementTurns } from '@/server/delivery/queue/statement-turns';
import { projectTurnSql } from '@/server/events/project-turn';

const msFromNow = (moment: string) => `(extract(epoch FROM ${moment} - now()) * 1000)::float8`;

const READ_QUEUE = `
  SELECT ${holdReasonSql} AS "holdReason", now() AS now, s."projectId", ${projectTurnSql('s."projectId"')} AS turn,
    s."rateLimitConfig" AS limits, s."consecutiveFailures",
    CASE WHEN s."enableCircuitBreaker" THEN s."circuitBreakerThreshold" END AS threshold,
    ${msFromNow('s."breakerRetryAt"')} AS "probeInMs", ${msFromNow('s."holdUntil"')} AS "holdInMs",
    (SELECT ${msFromNow('min(d."nextAttemptAt")')} FROM webhook_delivery d
     WHERE d."subscriptionId" = s.id AND d.status = 'pending') AS "pendingInMs",
    (SELECT ${msFromNow('min(d."nextAttemptAt")')} FROM webhook_delivery d
     WHERE d."subscriptionId" = s.id AND d.status = 'held' AND ${unexpiredSql}) AS "heldInMs",
    ${holdReasonSql} IS NOT NULL AND EXISTS (SELECT FROM webhook_delivery d
      WHERE d."subscriptionId" = s.id AND d.status = 'pending' AND ${unclaimedSql}) AS "hasUnclaimed"
  FROM webhook_subscription s WHERE s.id = $1`;

type QueueRow = Omit<QueueState, 'rateLimitInMs'> & {
  now: Date;
  projectId: string;
  turn: string;
  limits: RateLimits | null;
  consecutiveFailures: number;
  threshold: number | null;
};

/** A subscription's queue now, by the database's clock. `threshold` is null without a breaker. */
export type Queue = QueueState & {
  now: Date;
  projectId: string;
  /** Whose turn its requests take. */
  turn: string;
  rateLimited: boolean;
  consecutiveFailures: number;
  threshold: number | null;
};

/** Reads the queue of a subscription; null when there is no such subscription. */
export const readQueue = (subscriptionId: string): Promise<Queue | null> =>
  statementTurns.run(subscriptionId, () => readInTurn(subscriptionId));

async function readInTurn(subscriptionId: string): Promise<Queue | null> {
  const { rows } = await queuePool.query<QueueRow>({
    name: 'webhook_read_queue',
    text: READ_QUEUE,
    values: [subscriptionId],
  });
  const [row] = rows;
  if (!row) return null;
  noteOwner(subscriptionId, row);
  const { limits, ...state } = row;
  const rateLimitInMs = limits ? await msUntilAllowed(subscriptionId, limits, row.now) : 0;
  return { ...state, rateLimited: limits !== null, rateLimitInMs };
}

async function msUntilAllowed(subscriptionId: string, limits: RateLimits, now: Date): Promise<number> {
  const { rows } = await queuePool.query<RateBucket>(RATE_BUCKETS, [subscriptionId]);
  return allowance(limits, rows, now.getTime()).inMs;
}

/** When to run a queue again, by the database's clock (ISO 8601), and in how many milliseconds (at most 0: now); whose turn that takes. */
export type NextRun = { at: string; inMs: number; turn: string };

/** The next run of a queue; null when only a new delivery, or its owner, makes one necessary. */
export function nextRun(queue: Queue | null): NextRun | null {
  const inMs = queue && msUntilNextRun(queue);
  if (queue === null || inMs === null) return null;
  return { at: new Date(queue.now.getTime() + inMs).toISOString(), inMs, turn: queue.turn };
}

/**
 * Subscriptions whose queue should have been run by now: a delivery or a probe is overdue, or deliveries have the wrong
 * status. Whoever created the projects share the limit: many queues of one block of addresses hide none of another.
 */
export async function findStalledQueues(afterSeconds: number, limit: number): Promise<string[]> {
  const found = await pool.query<{ id: string }>(
    `SELECT s.id FROM webhook_subscription s WHERE CASE
       WHEN ${holdReasonSql} IS NULL THEN (s."holdUntil" IS NULL OR s."holdUntil" <= now()) AND (
         SELECT min(d."nextAttemptAt") FROM webhook_delivery d
         WHERE d."subscriptionId" = s.id AND d.status = 'pending') < now() - $1 * interval '1 second'
       ELSE EXISTS (SELECT FROM webhook_delivery d WHERE d."subscriptionId" = s.id AND d.status = 'pending' AND ${unclaimedSql}) END
       OR (CASE WHEN ${holdReasonSql} IS NULL THEN true
         WHEN ${holdReasonSql} = 'breaker' THEN s."breakerRetryAt" < now() - $1 * interval '1 second' ELSE false END
         AND EXISTS (SELECT FROM webhook_delivery d WHERE d."subscriptionId" = s.id AND d.status = 'held' AND ${unexpiredSql}))
     ORDER BY row_number() OVER (PARTITION BY ${projectTurnSql('s."projectId"')} ORDER BY random()), random() LIMIT $2`,
    [afterSeconds, limit],
  );
  return found.rows.map((row) => row.id);
}
