import { randomUUID } from 'node:crypto';
import { newId } from '@/lib/ids';
import { decryptSecret } from '@/server/crypto';
import { db, pool } from '@/server/db';
import { refuse } from '@/server/errors';
import type { PostResult } from '@/server/outbound/post';
import { can } from '@/server/permissions';
import {
  buildRequest,
  patternsFor,
  type RetryPolicy,
  retryAfterMs,
  retryDelayMs,
} from '@/server/routers/webhooks/rules';

/**
 * Projects whose webhooks a user may manage.
 * @param projectId only this one
 * @throws NOT_FOUND when not a member of `projectId`, FORBIDDEN when the user manages no webhooks
 */
export async function administeredProjects(userId: string, projectId?: string): Promise<string[]> {
  const members = await db.member.findMany({ where: { userId, projectId }, select: { projectId: true, role: true } });
  if (projectId !== undefined && members.length === 0) {
    throw refuse('NOT_FOUND', { message: 'There is no such project, or you are not a member of it.' });
  }
  const managed = members.filter(({ role }) => can(role, 'webhooks:read'));
  if (managed.length === 0) throw refuse('FORBIDDEN');
  return managed.map((member) => member.projectId);
}

/** Beyond its time limit an attempt keeps its claim this long, for connecting to the database and writing the result. */
const leaseMarginMs = 10_000;

/**
 * Which subscriptions an event goes to. A test goes to the one it names. An event of a user without a project goes to
 * projects that the user belongs to or has entered, and to subscriptions made by someone who runs the instance.
 */
const MATCHES = `
  SELECT e.id AS "eventId", e.type, e."occurredAt", s.id AS "subscriptionId", s."projectId"
  FROM domain_event e
  JOIN unnest($2::text[], $3::text[]) AS p (type, pattern) ON p.type = e.type
  JOIN webhook_subscription s ON s.status = 'active' AND p.pattern = ANY (s.events) AND e.type <> 'webhook.test' AND (
    s."projectId" = e."projectId"
    OR (e."projectId" IS NULL AND e."aggregateType" = 'user' AND (
      EXISTS (SELECT FROM member m WHERE m."projectId" = s."projectId" AND m."userId" = e."aggregateId")
      OR EXISTS (SELECT FROM participant q JOIN tournament t ON t.id = q."tournamentId"
                 WHERE q."userId" = e."aggregateId" AND t."projectId" = s."projectId")
      OR EXISTS (SELECT FROM "user" u WHERE u.id = s."createdById" AND u."instanceAdmin"))))
  WHERE e.id = ANY ($1)
  GROUP BY e.id, s.id
  UNION ALL
  SELECT e.id, e.type, e."occurredAt", s.id, s."projectId"
  FROM domain_event e JOIN webhook_subscription s ON s.id = e."aggregateId"
  WHERE e.id = ANY ($1) AND e.type = 'webhook.test' AND s."projectId" = e."projectId"`;

const INSERT_DELIVERIES = `
  INSERT INTO webhook_delivery
    (id, "subscriptionId", "projectId", "eventId", "eventType", "nextAttemptAt", "expiresAt", "updatedAt")
  SELECT v.id, v.sub, v.project, v.event, v.type, now(), v.at + interval '24 hours', now()
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[])
    AS v (id, sub, project, event, type, at)
  ON CONFLICT ("eventId", "subscriptionId") DO NOTHING`;

/**
 * Makes the deliveries of committed events, each at most once however often this is called.
 * @returns the subscriptions that have something to send because of them
 */
export async function fanOut(eventIds: string[]): Promise<string[]> {
  const types = await pool.query<{ type: string }>('SELECT DISTINCT type FROM domain_event WHERE id = ANY ($1)', [
    eventIds,
  ]);
  const pairs = types.rows.flatMap(({ type }) => patternsFor(type).map((pattern) => ({ type, pattern })));
  type Match = { eventId: string; type: string; occurredAt: Date; subscriptionId: string; projectId: string };
  const matches = await pool.query<Match>(MATCHES, [
    eventIds,
    pairs.map((pair) => pair.type),
    pairs.map((pair) => pair.pattern),
  ]);
  if (matches.rows.length === 0) return [];
  const order = new Map(eventIds.map((id, index) => [id, index]));
  const rows = matches.rows.sort((a, b) => (order.get(a.eventId) ?? 0) - (order.get(b.eventId) ?? 0));
  await pool.query(INSERT_DELIVERIES, [
    rows.map(() => newId('whd')),
    rows.map((row) => row.subscriptionId),
    rows.map((row) => row.projectId),
    rows.map((row) => row.eventId),
    rows.map((row) => row.type),
    rows.map((row) => row.occurredAt),
  ]);
  // Asked of the table, so that a second call after a crash names what the first one made and could not hand on.
  const due = await pool.query<{ subscriptionId: string }>(
    `SELECT DISTINCT "subscriptionId" FROM webhook_delivery WHERE "eventId" = ANY ($1) AND status = 'pending'`,
    [eventIds],
  );
  return due.rows.map((row) => row.subscriptionId);
}

/** Marks events as not handed on, so that the relay takes them again. */
export async function handBack(eventIds: string[]): Promise<void> {
  await pool.query('UPDATE domain_event SET "dispatchedAt" = NULL WHERE id = ANY ($1)', [eventIds]);
}

/** A delivery that this process may attempt now; the request is stored already. */
export type ClaimedAttempt = {
  deliveryId: string;
  attemptId: string;
  claimId: string;
  url: string;
  body: Buffer;
  headers: Record<string, string>;
  timeoutMs: number;
  policy: RetryPolicy;
  /** Attempts that failed before this one. */
  failures: number;
};

// The claim also moves the delivery's due time to the end of the lease: a process that dies leaves it to be found then.
const CLAIM = `
  UPDATE webhook_delivery d SET "claimId" = $3, "attemptCount" = d."attemptCount" + 1, "updatedAt" = now(),
    "claimedUntil" = now() + (s."timeoutMs" + $4) * interval '1 millisecond',
    "nextAttemptAt" = now() + (s."timeoutMs" + $4) * interval '1 millisecond'
  FROM webhook_subscription s, domain_event e
  WHERE s.id = $1 AND s.status = 'active' AND e.id = d."eventId" AND d.id IN (
    SELECT id FROM webhook_delivery
    WHERE "subscriptionId" = $1 AND status = 'pending' AND "nextAttemptAt" <= now() AND "expiresAt" > now()
    ORDER BY "nextAttemptAt", id LIMIT $2 FOR UPDATE SKIP LOCKED)
  RETURNING d.id, d."attemptCount", s.url, s."timeoutMs", s."maxRetries", s."retryBaseDelayMs", s."retryBackoffMultiplier",
    s."signPayload", s."signingSecretEncrypted", now() AS "sentAt", e.id AS "eventId", e.type, e.version,
    e."aggregateType", e."aggregateId", e.payload, e.metadata, e."occurredAt"`;

type ClaimRow = RetryPolicy & {
  id: string;
  attemptCount: number;
  url: string;
  timeoutMs: number;
  signPayload: boolean;
  signingSecretEncrypted: string | null;
  sentAt: Date;
  eventId: string;
  type: string;
  version: number;
  aggregateType: string;
  aggregateId: string;
  payload: unknown;
  metadata: unknown;
  occurredAt: Date;
};

const abandoned = 'The sender stopped before it knew the answer.';

// An attempt that never said how it ended: its process died, or was so late that the delivery went to another.
const ABANDON = `
  WITH lost AS (
    UPDATE webhook_attempt SET outcome = 'unknown', "errorMessage" = '${abandoned}'
    WHERE "deliveryId" = ANY ($1) AND outcome = 'running'
  )
  SELECT "deliveryId", count(*)::int AS failures FROM webhook_attempt
  WHERE "deliveryId" = ANY ($1) AND outcome = 'failed' GROUP BY "deliveryId"`;

const INSERT_ATTEMPTS = `
  INSERT INTO webhook_attempt (id, "deliveryId", number, "requestBody", "requestHeaders")
  SELECT * FROM unnest($1::text[], $2::text[], $3::int[], $4::text[], $5::jsonb[])`;

/**
 * Takes due deliveries of a subscription for this process and stores the attempts that it is about to make.
 * @param limit deliveries at most
 */
export async function claimDue(subscriptionId: string, limit: number): Promise<ClaimedAttempt[]> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('BEGIN');
    const claimId = randomUUID();
    const claimed = await client.query<ClaimRow>({
      name: 'webhook_claim',
      text: CLAIM,
      values: [subscriptionId, limit, claimId, leaseMarginMs],
    });
    const rows = claimed.rows.sort((a, b) => (a.id < b.id ? -1 : 1));
    const again = rows.filter((row) => row.attemptCount > 1).map((row) => row.id);
    const failures = new Map<string, number>();
    if (again.length > 0) {
      const counted = await client.query<{ deliveryId: string; failures: number }>(ABANDON, [again]);
      for (const row of counted.rows) failures.set(row.deliveryId, row.failures);
    }
    const attempts = prepare(subscriptionId, claimId, rows, failures);
    if (attempts.length > 0) {
      await client.query({
        name: 'webhook_attempts',
        text: INSERT_ATTEMPTS,
        values: [
          attempts.map((attempt) => attempt.attemptId),
          attempts.map((attempt) => attempt.deliveryId),
          rows.map((row) => row.attemptCount),
          attempts.map((attempt) => attempt.body.toString('utf8')),
          attempts.map((attempt) => JSON.stringify(attempt.headers)),
        ],
      });
    }
    await client.query('COMMIT');
    return attempts;
  } catch (error) {
    await client.query('ROLLBACK').catch((lost: Error) => {
      broken = lost;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

function prepare(
  subscriptionId: string,
  claimId: string,
  rows: ClaimRow[],
  failures: Map<string, number>,
): ClaimedAttempt[] {
  const [first] = rows;
  const encrypted = first?.signPayload ? first.signingSecretEncrypted : null;
  const secret = encrypted ? decryptSecret(encrypted) : null;
  return rows.map((row) => {
    const attemptId = newId('wha');
    const event = {
      id: row.eventId,
      type: row.type,
      version: row.version,
      aggregateType: row.aggregateType,
      aggregateId: row.aggregateId,
      payload: row.payload,
      metadata: row.metadata,
      occurredAt: row.occurredAt,
    };
    const { body, headers } = buildRequest({
      attemptId,
      deliveryId: row.id,
      subscriptionId,
      attempt: row.attemptCount,
      event,
      secret,
      sentAt: row.sentAt,
    });
    const { maxRetries, retryBaseDelayMs, retryBackoffMultiplier, url, timeoutMs } = row;
    const policy = { maxRetries, retryBaseDelayMs, retryBackoffMultiplier };
    const done = failures.get(row.id) ?? 0;
    return {
      deliveryId: row.id,
      attemptId,
      claimId,
      url,
      body: Buffer.from(body),
      headers,
      timeoutMs,
      policy,
      failures: done,
    };
  });
}

const RELEASE = `
  WITH given AS (
    UPDATE webhook_delivery d SET "claimId" = NULL, "claimedUntil" = NULL, "nextAttemptAt" = now(), "updatedAt" = now(),
      "attemptCount" = d."attemptCount" - 1
    FROM unnest($1::text[], $2::text[], $3::text[]) AS v (delivery, claim, attempt)
    WHERE d.id = v.delivery AND d."claimId" = v.claim AND d.status = 'pending'
    RETURNING v.attempt
  )
  DELETE FROM webhook_attempt a USING given WHERE a.id = given.attempt`;

/** Gives back claims whose request was not sent, as if they had not been made. */
export async function releaseClaims(attempts: ClaimedAttempt[]): Promise<void> {
  await pool.query(RELEASE, [
    attempts.map((attempt) => attempt.deliveryId),
    attempts.map((attempt) => attempt.claimId),
    attempts.map((attempt) => attempt.attemptId),
  ]);
}

// Only the holder of the claim writes; a result that comes after the lease ended changes nothing.
const COMPLETE = `
  WITH v AS (
    SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::boolean[], $5::float8[], $6::int[], $7::int[], $8::jsonb[],
        $9::text[], $10::boolean[], $11::text[], $12::text[], $13::text[])
      AS v (delivery, claim, attempt, succeeded, delay, duration, status, headers, body, truncated, peer, class, message)
  ), done AS (
    UPDATE webhook_delivery d SET "claimId" = NULL, "claimedUntil" = NULL, "updatedAt" = now(),
      status = next.status::delivery_status,
      "nextAttemptAt" = CASE WHEN next.status = 'pending' THEN now() + v.delay * interval '1 millisecond' END,
      "completedAt" = CASE WHEN next.status <> 'pending' THEN now() END
    FROM v, LATERAL (
      SELECT CASE WHEN v.succeeded THEN 'delivered' WHEN v.delay IS NULL THEN 'failed'
        WHEN now() + v.delay * interval '1 millisecond' >= o."expiresAt" THEN 'expired' ELSE 'pending' END AS status
      FROM webhook_delivery o WHERE o.id = v.delivery) next
    WHERE d.id = v.delivery AND d."claimId" = v.claim AND d.status = 'pending'
    RETURNING d.id
  )
  UPDATE webhook_attempt a SET outcome = (CASE WHEN v.succeeded THEN 'succeeded' ELSE 'failed' END)::attempt_outcome,
    "durationMs" = v.duration, "responseStatus" = v.status, "responseHeaders" = v.headers, "responseBody" = v.body,
    "responseTruncated" = v.truncated, "peerAddress" = v.peer, "errorClass" = v.class, "errorMessage" = v.message
  FROM v JOIN done ON done.id = v.delivery WHERE a.id = v.attempt`;

export type FinishedAttempt = { attempt: ClaimedAttempt; result: PostResult };

/** Writes how attempts ended, and what follows: delivered, another attempt by the database's clock, failed or expired. */
export async function completeAttempts(finished: FinishedAttempt[]): Promise<void> {
  const delays = finished.map(({ attempt, result }) => {
    if (result.succeeded) return null;
    const asked = retryAfterMs(result.headers?.['retry-after'], new Date());
    return retryDelayMs(attempt.policy, attempt.failures + 1, asked);
  });
  await pool.query({
    name: 'webhook_complete',
    text: COMPLETE,
    values: [
      finished.map(({ attempt }) => attempt.deliveryId),
      finished.map(({ attempt }) => attempt.claimId),
      finished.map(({ attempt }) => attempt.attemptId),
      finished.map(({ result }) => result.succeeded),
      delays,
      finished.map(({ result }) => result.durationMs),
      finished.map(({ result }) => result.status),
      finished.map(({ result }) => result.headers && JSON.stringify(result.headers)),
      finished.map(({ result }) => result.body),
      finished.map(({ result }) => result.truncated),
      finished.map(({ result }) => result.peerAddress),
      finished.map(({ result }) => result.errorClass),
      finished.map(({ result }) => result.errorMessage),
    ],
  });
}

const EXPIRE = `
  WITH over AS (
    UPDATE webhook_delivery SET status = 'expired', "completedAt" = now(), "nextAttemptAt" = NULL, "claimId" = NULL,
      "claimedUntil" = NULL, "updatedAt" = now()
    WHERE id IN (
      SELECT old.id FROM webhook_subscription s CROSS JOIN LATERAL (
        SELECT id FROM webhook_delivery d
        WHERE d."subscriptionId" = s.id AND d.status = 'pending' AND d."nextAttemptAt" <= now() AND d."expiresAt" <= now()
        ORDER BY d."nextAttemptAt" LIMIT 1000 FOR UPDATE SKIP LOCKED) old
      WHERE $1::text IS NULL OR s.id = $1)
    RETURNING id
  ), lost AS (
    UPDATE webhook_attempt a SET outcome = 'unknown', "errorMessage" = '${abandoned}'
    FROM over WHERE a."deliveryId" = over.id AND a.outcome = 'running'
  )
  SELECT count(*)::int AS count FROM over`;

/** Ends deliveries that no attempt may start for any more: of one subscription, or of all. @returns how many */
export async function expireOverdue(subscriptionId: string | null): Promise<number> {
  const expired = await pool.query<{ count: number }>(EXPIRE, [subscriptionId]);
  return expired.rows[0]?.count ?? 0;
}

/** When the next attempt is due by the database's clock (ISO 8601), and in how many milliseconds (at most 0: now). */
export type NextDue = { at: string; inMs: number };

/** The subscription's next attempt; null when nothing is pending. */
export async function nextDue(subscriptionId: string): Promise<NextDue | null> {
  const next = await pool.query<{ at: Date | null; inMs: number }>({
    name: 'webhook_next_due',
    text: `SELECT min(d."nextAttemptAt") AS at, (extract(epoch FROM min(d."nextAttemptAt") - now()) * 1000)::float8 AS "inMs"
           FROM webhook_delivery d JOIN webhook_subscription s ON s.id = d."subscriptionId"
           WHERE d."subscriptionId" = $1 AND d.status = 'pending' AND s.status = 'active'`,
    values: [subscriptionId],
  });
  const [row] = next.rows;
  return row?.at ? { at: row.at.toISOString(), inMs: row.inMs } : null;
}

/** Active subscriptions with deliveries that have been due for a while and that nobody attempts. */
export async function neglectedSubscriptions(afterSeconds: number, limit: number): Promise<string[]> {
  const found = await pool.query<{ id: string }>(
    `SELECT s.id FROM webhook_subscription s WHERE s.status = 'active' AND EXISTS (
       SELECT FROM webhook_delivery d
       WHERE d."subscriptionId" = s.id AND d.status = 'pending' AND d."nextAttemptAt" < now() - $1 * interval '1 second')
     LIMIT $2`,
    [afterSeconds, limit],
  );
  return found.rows.map((row) => row.id);
}
