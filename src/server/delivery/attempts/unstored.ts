import { isDeadSql } from '@/server/alive-lock';
import { deliveryPool, queuePool } from '@/server/db';
import { keptSubscriptionsSql } from '@/server/delivery/attempts/deletions';
import type { ClaimedAttempt, EventClaim } from '@/server/delivery/attempts/prepare';
import { expirySql } from '@/server/delivery/queue/expire';
import { projectTurnSql } from '@/server/events/project-turn';
import { Batcher } from '@/server/jobs/embedded/batcher';

/**
 * Deliveries that are claimed with their events, and stored with their first results: a delivery that succeeds at once, as
 * nearly all do, is a row that is written once. Those whose receivers let them wait, or that are not sent after all, are
 * stored before.
 */

/** The claims of which these attempts are the last that were not stored: nothing is left to do about them. */
export function lastOfClaims(attempts: readonly ClaimedAttempt[]): string[] {
  const counts = new Map<EventClaim, number>();
  for (const { claimedWith } of attempts) if (claimedWith) counts.set(claimedWith, (counts.get(claimedWith) ?? 0) + 1);
  return [...counts].flatMap(([claim, count]) => (count === claim.unstored ? [claim.id] : []));
}

/**
 * Notes that deliveries are stored. Two statements may each have stored some of a claim, and neither was its last.
 * @param handled from `lastOfClaims`: the statement that stored the deliveries has deleted their rows
 */
export async function noteStored(attempts: readonly ClaimedAttempt[], handled: readonly string[]): Promise<void> {
  const left: string[] = [];
  for (const attempt of attempts) {
    const claim = attempt.claimedWith;
    if (!claim) continue;
    claim.unstored -= 1;
    if (claim.unstored === 0 && !handled.includes(claim.id)) left.push(claim.id);
    attempt.claimedWith = null;
  }
  if (left.length > 0) await deliveryPool.query('DELETE FROM event_claim WHERE id = ANY ($1)', [left]);
}

/** The claims of those in the array `ids` (SQL) that were not lost: only their holder stores what they stand for. */
export const heldClaimsSql = (ids: string) => `SELECT id, until FROM event_claim WHERE id = ANY (${ids})`;

const STORE = `
  WITH v AS (
    SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::timestamptz[]) AS v (delivery, event, claim, subscription, made)
  ), kept AS MATERIALIZED (
    ${keptSubscriptionsSql('$4')}
  ), held AS MATERIALIZED (
    ${heldClaimsSql('$3')}
  ), handled AS (
    DELETE FROM event_claim WHERE id = ANY ($6)
  )
  INSERT INTO webhook_delivery (id, "subscriptionId", "projectId", "eventId", "eventType", status, "claimId", "attemptCount",
    "claimedUntil", "nextAttemptAt", "expiresAt", "createdAt", "updatedAt")
  SELECT v.delivery, s.id, s."projectId", e.id, e.type, 'pending', CASE WHEN $7 THEN v.claim END,
    CASE WHEN $7 THEN 1 ELSE 0 END, CASE WHEN $7 THEN held.until END, CASE WHEN $7 THEN held.until ELSE v.made END,
    ${expirySql}, v.made, v.made
  FROM v JOIN held ON held.id = v.claim JOIN kept s ON s.id = v.subscription JOIN domain_event e ON e.id = v.event
  ON CONFLICT ("eventId", "subscriptionId") DO NOTHING`;

async function store(attempts: readonly ClaimedAttempt[], claimed: boolean): Promise<true[]> {
  const unstored = attempts.filter(({ claimedWith }) => claimedWith !== null);
  const handled = lastOfClaims(unstored);
  const values = [
    unstored.map(({ deliveryId }) => deliveryId),
    unstored.map(({ eventId }) => eventId),
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

// Rows that a statement is working on are left for the next time. An event of which all is stored is done.
const FREE = `
  WITH lost AS MATERIALIZED (
    DELETE FROM event_claim WHERE id IN (
      SELECT id FROM event_claim
      WHERE until <= now() OR id LIKE '%.%' AND ${isDeadSql('sender', `split_part(id, '.', 1)`)}
      FOR UPDATE SKIP LOCKED)
    RETURNING deliveries
  )
  INSERT INTO pending_event ("eventId", "projectId", turn, sequence, attempted)
  SELECT e.id, coalesce(e."projectId", ''), coalesce(${projectTurnSql('e."projectId"')}, ''), e.sequence, c.value
  FROM lost, json_each(lost.deliveries) c JOIN domain_event e ON e.id = c.key
  WHERE EXISTS (
    SELECT FROM json_each_text(c.value) d WHERE NOT EXISTS (SELECT FROM webhook_delivery w WHERE w.id = d.value))
  ON CONFLICT DO NOTHING`;

/** Frees events whose claims have ended, or whose processes died. @returns whether there were any */
export async function freeLostEvents(): Promise<boolean> {
  // Its connections read no table as a whole, however many events wait.
  const { rowCount } = await deliveryPool.query({ name: 'webhook_free_events', text: FREE });
  return (rowCount ?? 0) > 0;
}
