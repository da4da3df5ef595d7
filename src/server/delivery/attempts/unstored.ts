import { isDeadSql } from '@/server/alive-lock';
import { deliveryPool, queuePool } from '@/server/db';
import { keptSubscriptionsSql } from '@/server/delivery/attempts/deletions';
import type { ClaimedAttempt, ClaimedEvent } from '@/server/delivery/attempts/prepare';
import { expirySql } from '@/server/delivery/queue/expire';
import { Batcher } from '@/server/jobs/embedded/batcher';

/**
 * Deliveries that are claimed with their events, and stored with their first results: a delivery that succeeds at once, as
 * nearly all do, is a row that is written once. Those whose receivers let them wait, or that are not sent after all, are
 * stored before.
 */

/** The events of which these attempts are the last that were not stored: nothing is left to do about them. */
export function lastOfEvents(attempts: readonly ClaimedAttempt[]): string[] {
  const counts = new Map<ClaimedEvent, number>();
  for (const { claimedWith } of attempts) if (claimedWith) counts.set(claimedWith, (counts.get(claimedWith) ?? 0) + 1);
  return [...counts].flatMap(([event, count]) => (count === event.unstored ? [event.id] : []));
}

/**
 * Notes that deliveries are stored. Two statements may each have stored one of an event, and neither was its last.
 * @param handled from `lastOfEvents`: the statement that stored the deliveries has deleted their rows
 */
export async function noteStored(attempts: readonly ClaimedAttempt[], handled: readonly string[]): Promise<void> {
  const left: ClaimedEvent[] = [];
  const deleted = new Set(handled);
  for (const attempt of attempts) {
    const event = attempt.claimedWith;
    if (!event) continue;
    event.unstored -= 1;
    if (event.unstored === 0 && !deleted.has(event.id)) left.push(event);
    attempt.claimedWith = null;
  }
  if (left.length === 0) return;
  await deliveryPool.query(HANDLED, [left.map(({ id }) => id), left.map(({ claimId }) => claimId)]);
}

// One whose claim was lost is not done: another process, or this one, makes its deliveries.
const HANDLED = `
  DELETE FROM pending_event p WHERE p."eventId" = ANY ($1)
    AND EXISTS (SELECT FROM unnest($1::text[], $2::text[]) AS v (event, claim) WHERE v.event = p."eventId" AND v.claim = p."claimId")`;

// Only the holder of the event's claim writes. The limit keeps PostgreSQL from reading all claims of events.
const STORE = `
  WITH v AS (
    SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::timestamptz[]) AS v (delivery, event, claim, subscription, made)
  ), kept AS MATERIALIZED (
    ${keptSubscriptionsSql('$4')}
  ), handled AS (
    DELETE FROM pending_event p WHERE p."eventId" = ANY ($6)
      AND EXISTS (SELECT FROM v WHERE v.event = p."eventId" AND v.claim = p."claimId")
  )
  INSERT INTO webhook_delivery (id, "subscriptionId", "projectId", "eventId", "eventType", status, "claimId", "attemptCount",
    "claimedUntil", "nextAttemptAt", "expiresAt", "createdAt", "updatedAt")
  SELECT v.delivery, s.id, s."projectId", e.id, e.type, 'pending', CASE WHEN $7 THEN v.claim END,
    CASE WHEN $7 THEN 1 ELSE 0 END, CASE WHEN $7 THEN p."claimedUntil" END, CASE WHEN $7 THEN p."claimedUntil" ELSE v.made END,
    ${expirySql}, v.made, v.made
  FROM v
  CROSS JOIN LATERAL (SELECT "claimedUntil" FROM pending_event WHERE "eventId" = v.event AND "claimId" = v.claim LIMIT 1) p
  JOIN kept s ON s.id = v.subscription JOIN domain_event e ON e.id = v.event
  ON CONFLICT ("eventId", "subscriptionId") DO NOTHING`;

async function store(attempts: readonly ClaimedAttempt[], claimed: boolean): Promise<true[]> {
  const unstored = attempts.filter(({ claimedWith }) => claimedWith !== null);
  const handled = lastOfEvents(unstored);
  const values = [
    unstored.map(({ deliveryId }) => deliveryId),
    unstored.map(({ claimedWith }) => claimedWith?.id),
    unstored.map(({ claimId }) => claimId),
    unstored.map(({ subscriptionId }) => subscriptionId),
    unstored.map(({ sentAt }) => sentAt),
    handled,
    claimed,
  ];
  const statement = { name: 'webhook_store', text: STORE, values };
  if (unstored.length > 0) await queuePool.query(statement);
  await noteStored(unstored, handled);
  return attempts.map(() => true);
}

const maxStored = 200;
const underWay = new Batcher<ClaimedAttempt, true>(maxStored, (attempts) => store(attempts, true));
const released = new Batcher<ClaimedAttempt, true>(maxStored, (attempts) => store(attempts, false));

/** Stores a delivery whose request is under way, with its claim. */
export const storeClaimed = (attempt: ClaimedAttempt): Promise<true> => underWay.add(attempt);

/** Stores a delivery whose request was not sent, as one that nobody has claimed. */
export const storeReleased = (attempt: ClaimedAttempt): Promise<true> => released.add(attempt);

// Rows that a statement is working on are left for the next time.
const FREE = `
  WITH lost AS MATERIALIZED (
    SELECT "eventId" FROM pending_event WHERE "claimId" IS NOT NULL AND ("claimedUntil" <= now() OR "claimId" LIKE '%.%'
      AND ${isDeadSql('sender', `split_part("claimId", '.', 1)`)})
    FOR UPDATE SKIP LOCKED
  ) UPDATE pending_event p SET "claimId" = NULL FROM lost WHERE p."eventId" = lost."eventId"`;

/** Frees events whose claims have ended, or whose processes died. @returns whether there were any */
export async function freeLostEvents(): Promise<boolean> {
  // Its connections read no table as a whole, however many events wait.
  const { rowCount } = await deliveryPool.query({ name: 'webhook_free_events', text: FREE });
  return (rowCount ?? 0) > 0;
}
