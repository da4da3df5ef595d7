import { newId } from '@/domain/ids';
import { type Filters, passesFilters } from '@/domain/webhooks/filters';
import { env } from '@/env';
import { pool } from '@/server/db';
import { type DueQueue, heldBy } from '@/server/delivery/queue/queue';
import { laneOf } from '@/server/delivery/queue/rules';
import { patternsFor } from '@/server/delivery/rules';
import { typesFor } from '@/server/events/catalog/catalog';

/** Which subscriptions an event goes to: the audience of its type says so. */
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

// A subscription that was deleted meanwhile is left out by the join; one that sends nothing now gets its deliveries as held.
const INSERT_DELIVERIES = `
  INSERT INTO webhook_delivery
    (id, "subscriptionId", "projectId", "eventId", "eventType", "isTest", status, "heldReason", "nextAttemptAt", "expiresAt",
     "updatedAt")
  SELECT v.id, s.id, s."projectId", e.id, e.type, e.type = 'webhook.test',
    (CASE WHEN ${heldBy} IS NULL THEN 'pending' ELSE 'held' END)::delivery_status, ${heldBy}, now(),
    e."occurredAt" + interval '24 hours', now()
  FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS v (id, sub, event, ord)
  JOIN webhook_subscription s ON s.id = v.sub JOIN domain_event e ON e.id = v.event
  ORDER BY v.ord
  ON CONFLICT ("eventId", "subscriptionId") DO NOTHING`;

type Match = { eventId: string; subscriptionId: string; filters: Partial<Filters> | null };

/** Those matches whose filters let the event pass. Events are read only where a filter asks about them. */
async function filtered(matches: Match[]): Promise<Match[]> {
  const asked = [...new Set(matches.filter((match) => match.filters).map((match) => match.eventId))];
  if (asked.length === 0) return matches;
  const { rows } = await pool.query<{
    id: string;
    aggregateId: string;
    aggregateType: string;
    payload: unknown;
    metadata: unknown;
  }>('SELECT id, "aggregateId", "aggregateType", payload, metadata FROM domain_event WHERE id = ANY ($1)', [asked]);
  const events = new Map(rows.map(({ id, ...data }) => [id, data]));
  return matches.filter(({ eventId, filters }) => {
    const data = events.get(eventId);
    return !filters || (data !== undefined && passesFilters(filters, data));
  });
}

/**
 * Makes the deliveries of committed events, each at most once however often this is called.
 * @returns the queues that something is to be sent from because of them
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
  const matches = await filtered(found.rows);
  if (matches.length === 0) return [];
  const order = new Map(eventIds.map((id, index) => [id, index]));
  const rows = matches.sort((a, b) => (order.get(a.eventId) ?? 0) - (order.get(b.eventId) ?? 0));
  await pool.query(INSERT_DELIVERIES, [
    rows.map(() => newId('whd')),
    rows.map((row) => row.subscriptionId),
    rows.map((row) => row.eventId),
  ]);
  // Asked of the table, so that a second call after a crash names what the first one made and could not hand on.
  const due = await pool.query<{ id: string; streak: number }>(
    `SELECT s.id, s."consecutiveFailures" AS streak FROM webhook_subscription s WHERE s.id IN (
       SELECT "subscriptionId" FROM webhook_delivery
       WHERE "eventId" = ANY ($1) AND (status = 'pending' OR "heldReason" = 'breaker'))`,
    [eventIds],
  );
  return due.rows.map(({ id, streak }) => ({ subscriptionId: id, lane: laneOf(streak) }));
}
