import { newId } from '@/domain/ids';
import { type Filters, passesFilters } from '@/domain/webhooks/filters';
import { retryWindowHours } from '@/domain/webhooks/retry';
import { env } from '@/env';
import { pool } from '@/server/db';
import { patternsFor } from '@/server/delivery/event-patterns';
import { holdReasonSql, queuedStatusSql } from '@/server/delivery/queue/hold';
import { laneFor } from '@/server/delivery/queue/next-run';
import type { DueQueue } from '@/server/delivery/queue/queue';
import { typesFor } from '@/server/events/catalog/catalog';

/**
 * The subscriptions that an event goes to; the audience of its type decides. An event about a user goes to projects that the
 * user is a member of or has registered with, and to subscriptions created by an instance admin.
 */
const MATCHES = `
  SELECT e.id AS "eventId", s.id AS "subscriptionId", s.filters
  FROM domain_event e
  JOIN unnest($2::text[], $3::text[]) AS p (type, pattern) ON p.type = e.type
  JOIN webhook_subscription s ON p.pattern = ANY (s.events) AND e.type <> ALL ($6) AND (
    s."projectId" = e."projectId"
    OR (e."projectId" IS NULL AND e.type = ANY ($5) AND (
      EXISTS (SELECT FROM member m WHERE m."projectId" = s."projectId" AND m."userId" = e."aggregateId")
      OR EXISTS (SELECT FROM participant q JOIN tournament t ON t.id = q."tournamentId"
                 WHERE q."userId" = e."aggregateId" AND t."projectId" = s."projectId")
      OR EXISTS (SELECT FROM "user" u WHERE u.id = s."createdById" AND (u."instanceAdmin"
                 OR (u."emailVerifiedAt" IS NOT NULL AND u.email = ANY ($4)))))))
  WHERE e.id = ANY ($1)
  GROUP BY e.id, s.id
  UNION ALL
  SELECT e.id, s.id, NULL
  FROM domain_event e JOIN webhook_subscription s ON s.id = e."aggregateId"
  WHERE e.id = ANY ($1) AND e.type = ANY ($6) AND s."projectId" = e."projectId"`;

// The join leaves out subscriptions that were deleted in the meantime. One that sends nothing gets its deliveries held.
const INSERT_DELIVERIES = `
  INSERT INTO webhook_delivery
    (id, "subscriptionId", "projectId", "eventId", "eventType", "isTest", status, "heldReason", "nextAttemptAt", "expiresAt",
     "updatedAt")
  SELECT v.id, s.id, s."projectId", e.id, e.type, e.type = 'webhook.test',
    ${queuedStatusSql}, ${holdReasonSql}, now(), e."occurredAt" + interval '${retryWindowHours} hours', now()
  FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS v (id, sub, event, ord)
  JOIN webhook_subscription s ON s.id = v.sub JOIN domain_event e ON e.id = v.event
  ORDER BY v.ord
  ON CONFLICT ("eventId", "subscriptionId") DO NOTHING`;

type Match = { eventId: string; subscriptionId: string; filters: Partial<Filters> | null };

/** The matches whose filters accept the event. Reads only the events that a subscription filters. */
async function applyFilters(matches: Match[]): Promise<Match[]> {
  const filtered = [...new Set(matches.filter((match) => match.filters).map((match) => match.eventId))];
  if (filtered.length === 0) return matches;
  const { rows } = await pool.query<{
    id: string;
    aggregateId: string;
    aggregateType: string;
    payload: unknown;
    metadata: unknown;
  }>('SELECT id, "aggregateId", "aggregateType", payload, metadata FROM domain_event WHERE id = ANY ($1)', [filtered]);
  const events = new Map(rows.map(({ id, ...data }) => [id, data]));
  return matches.filter(({ eventId, filters }) => {
    const data = events.get(eventId);
    return !filters || (data !== undefined && passesFilters(filters, data));
  });
}

/**
 * Makes the deliveries of committed events; calling it again makes no second ones.
 * @returns the queues that have something to send because of them
 */
export async function fanOut(eventIds: string[]): Promise<DueQueue[]> {
  const types = await pool.query<{ type: string }>('SELECT DISTINCT type FROM domain_event WHERE id = ANY ($1)', [
    eventIds,
  ]);
  const pairs = types.rows.flatMap(({ type }) => patternsFor(type).map((pattern) => ({ type, pattern })));
  const found = await pool.query<Match>(MATCHES, [
    eventIds,
    pairs.map((pair) => pair.type),
    pairs.map((pair) => pair.pattern),
    env.INSTANCE_ADMINS,
    typesFor('user'),
    typesFor('subscription'),
  ]);
  const matches = await applyFilters(found.rows);
  if (matches.length === 0) return [];
  const order = new Map(eventIds.map((id, index) => [id, index]));
  const rows = matches.sort((a, b) => (order.get(a.eventId) ?? 0) - (order.get(b.eventId) ?? 0));
  await pool.query(INSERT_DELIVERIES, [
    rows.map(() => newId('whd')),
    rows.map((row) => row.subscriptionId),
    rows.map((row) => row.eventId),
  ]);
  // Read from the table, so that a call after a crash returns the queues that the call before it could not.
  const due = await pool.query<{ id: string; streak: number }>(
    `SELECT s.id, s."consecutiveFailures" AS streak FROM webhook_subscription s WHERE s.id IN (
       SELECT "subscriptionId" FROM webhook_delivery
       WHERE "eventId" = ANY ($1) AND (status = 'pending' OR "heldReason" = 'breaker'))`,
    [eventIds],
  );
  return due.rows.map(({ id, streak }) => ({ subscriptionId: id, lane: laneFor(streak) }));
}
