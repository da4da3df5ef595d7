import { randomUUID } from 'node:crypto';
import type { PoolClient } from 'pg';
import { newId } from '@/domain/ids';
import { decryptSecret } from '@/server/crypto';
import { pool } from '@/server/db';
import { BUCKETS, heldBy } from '@/server/delivery/queue/queue';
import { allowance, bucketsAt, type RateBucket, type RateCaps } from '@/server/delivery/queue/rules';
import {
  abandoned,
  buildRequest,
  type Credential,
  type DeliveryEvent,
  echoesOf,
  type RetryPolicy,
  redactHeaders,
} from '@/server/delivery/rules';

/** Beyond its time limit an attempt keeps its claim this long, for connecting to the database and writing the result. */
const leaseMarginMs = 10_000;

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
  /** Attempts that failed before this one, since the last replay; probes do not count. */
  failures: number;
  /** The one attempt that an open breaker lets through. */
  probe: boolean;
  /** What of the credential must not be kept of the answer. */
  echoes: string[];
};

const lease = `now() + (s."timeoutMs" + ${leaseMarginMs}) * interval '1 millisecond'`;

// The claim also moves the delivery's due time to the end of the lease: a process that dies leaves it to be found then.
const claimWhere = (gate: string, pick: string) => `
  UPDATE webhook_delivery d SET "claimId" = $3, "attemptCount" = d."attemptCount" + 1, "updatedAt" = now(),
    "claimedUntil" = ${lease}, "nextAttemptAt" = ${lease}, status = 'pending', "heldReason" = NULL
  FROM webhook_subscription s, domain_event e
  WHERE s.id = $1 AND ${gate} AND e.id = d."eventId" AND d.id IN (${pick} LIMIT $2 FOR UPDATE SKIP LOCKED)
  RETURNING d.id, d."attemptCount", d."replayedAt", s.url, s."timeoutMs", s."maxRetries", s."retryBaseDelayMs",
    s."retryBackoffMultiplier", s."signPayload", s."signingSecretEncrypted",
    CASE WHEN s."authMode" IN ('bearer_token', 'basic_auth', 'custom_header') THEN s."authSecretEncrypted" END AS "authSecretEncrypted",
    CASE WHEN s."previousSecretUntil" > now() THEN s."previousSecretEncrypted" END AS "previousSecretEncrypted",
    now() AS "sentAt", e.id AS "eventId", e.type, e.version, e."aggregateType", e."aggregateId", e.payload, e.metadata,
    e."occurredAt"`;

const due = `
  SELECT id FROM webhook_delivery
  WHERE "subscriptionId" = $1 AND status = 'pending' AND "nextAttemptAt" <= now() AND "expiresAt" > now()
  ORDER BY "nextAttemptAt", id`;
const flowing = `${heldBy} IS NULL AND (s."holdUntil" IS NULL OR s."holdUntil" <= now())`;
const CLAIM = { name: 'webhook_claim', text: claimWhere(`${flowing} AND s."rateLimitConfig" IS NULL`, due) };
const CLAIM_CAPPED = { name: 'webhook_claim_capped', text: claimWhere(flowing, due) };
const CLAIM_PROBE = {
  name: 'webhook_claim_probe',
  text: claimWhere(
    'true',
    `SELECT id FROM webhook_delivery
     WHERE "subscriptionId" = $1 AND status IN ('pending', 'held') AND ("claimedUntil" IS NULL OR "claimedUntil" <= now())
       AND "expiresAt" > now()
     ORDER BY "nextAttemptAt", id`,
  ),
};

type ClaimRow = RetryPolicy & {
  id: string;
  attemptCount: number;
  replayedAt: Date | null;
  url: string;
  timeoutMs: number;
  signPayload: boolean;
  signingSecretEncrypted: string | null;
  previousSecretEncrypted: string | null;
  authSecretEncrypted: string | null;
  sentAt: Date;
  eventId: string;
} & Omit<DeliveryEvent, 'id'>;

// An attempt that never said how it ended: its process died, or was so late that the delivery went to another.
const LOOK_BACK = `
  WITH lost AS (
    UPDATE webhook_attempt SET outcome = 'unknown', "errorMessage" = '${abandoned}'
    WHERE "deliveryId" = ANY ($1) AND outcome = 'running'
  )
  SELECT d.id, count(a.id) FILTER (WHERE a.outcome = 'failed' AND a.trigger <> 'probe')::int AS failures,
    count(a.id)::int AS tries,
    (SELECT "requestBody" FROM webhook_attempt b WHERE b."deliveryId" = d.id ORDER BY b.number DESC LIMIT 1) AS body
  FROM webhook_delivery d LEFT JOIN webhook_attempt a
    ON a."deliveryId" = d.id AND (d."replayedAt" IS NULL OR a."startedAt" >= d."replayedAt")
  WHERE d.id = ANY ($1) GROUP BY d.id`;

type Past = { id: string; failures: number; tries: number; body: string | null };

const INSERT_ATTEMPTS = `
  INSERT INTO webhook_attempt (id, "deliveryId", number, "requestBody", "requestHeaders", trigger)
  SELECT * FROM unnest($1::text[], $2::text[], $3::int[], $4::text[], $5::jsonb[], $6::attempt_trigger[])`;

/** Runs `work` in a transaction of its own connection. */
async function inTransaction<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch((lost: Error) => {
      broken = lost;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

/**
 * Takes due deliveries of a subscription for this process and stores the attempts that it is about to make. Nothing of a
 * subscription that is held back or has a rate cap.
 * @param limit deliveries at most
 */
export function claimDue(subscriptionId: string, limit: number): Promise<ClaimedAttempt[]> {
  return inTransaction((client) => take(client, CLAIM, subscriptionId, limit, false));
}

const LOCK = `
  SELECT s."rateLimitConfig" AS caps, clock_timestamp() AS now, s."breakerState" <> 'closed' AND ${heldBy} = 'breaker'
    AND s."breakerRetryAt" <= clock_timestamp() AND (s."holdUntil" IS NULL OR s."holdUntil" <= clock_timestamp()) AS probe
  FROM webhook_subscription s WHERE id = $1 FOR NO KEY UPDATE`;
const COUNT = `
  WITH old AS (
    DELETE FROM webhook_rate_bucket b USING unnest($2::int[], $4::float8[]) AS v (span, before)
    WHERE b."subscriptionId" = $1 AND b."spanMs" = v.span AND b."startsAt" < to_timestamp(v.before / 1000)
  )
  INSERT INTO webhook_rate_bucket ("subscriptionId", "spanMs", "startsAt", started)
  SELECT $1, v.span, to_timestamp(v.at / 1000), $5 FROM unnest($2::int[], $3::float8[]) AS v (span, at)
  ON CONFLICT ("subscriptionId", "spanMs", "startsAt") DO UPDATE SET started = webhook_rate_bucket.started + excluded.started`;
// A probe that nobody answers for counts as lost when its lease ends.
const HALF_OPEN = `UPDATE webhook_subscription s SET "breakerState" = 'half_open', "breakerRetryAt" = ${lease} WHERE id = $1`;

/** What a look at the caps under the subscription's lock allows, and how to count what is then taken. */
async function underCaps(client: PoolClient, subscriptionId: string) {
  const locked = await client.query<{ caps: RateCaps | null; now: Date; probe: boolean | null }>(LOCK, [
    subscriptionId,
  ]);
  const [row] = locked.rows;
  if (!row) return null;
  const now = row.now.getTime();
  const caps = row.caps ?? {};
  const buckets = row.caps ? (await client.query<RateBucket>(BUCKETS, [subscriptionId])).rows : [];
  return {
    probe: row.probe === true,
    free: allowance(caps, buckets, now).free,
    async count(started: number) {
      const at = bucketsAt(caps, now);
      if (at.length === 0 || started === 0) return;
      await client.query(COUNT, [
        subscriptionId,
        at.map((bucket) => bucket.spanMs),
        at.map((bucket) => bucket.startsAt),
        at.map((bucket) => bucket.forgetBefore),
        started,
      ]);
    },
  };
}

/** As `claimDue`, for a subscription with rate caps: exact over any number of processes, since each counts under its lock. */
export function claimCapped(subscriptionId: string, limit: number): Promise<ClaimedAttempt[]> {
  return inTransaction(async (client) => {
    const gate = await underCaps(client, subscriptionId);
    if (!gate || gate.free < 1) return [];
    const taken = await take(client, CLAIM_CAPPED, subscriptionId, Math.min(limit, gate.free), false);
    await gate.count(taken.length);
    return taken;
  });
}

/**
 * Takes the one delivery that may try whether an open breaker's receiver is back; null when it is not the moment, another
 * process is at it, or there is nothing to try with.
 */
export function claimProbe(subscriptionId: string): Promise<ClaimedAttempt | null> {
  return inTransaction(async (client) => {
    const gate = await underCaps(client, subscriptionId);
    if (!gate?.probe || gate.free < 1) return null;
    const [taken] = await take(client, CLAIM_PROBE, subscriptionId, 1, true);
    if (!taken) return null;
    await client.query(HALF_OPEN, [subscriptionId]);
    await gate.count(1);
    return taken;
  });
}

async function take(
  client: PoolClient,
  statement: { name: string; text: string },
  subscriptionId: string,
  limit: number,
  probe: boolean,
): Promise<ClaimedAttempt[]> {
  const claimId = randomUUID();
  const claimed = await client.query<ClaimRow>({ ...statement, values: [subscriptionId, limit, claimId] });
  const rows = claimed.rows.sort((a, b) => (a.id < b.id ? -1 : 1));
  const again = rows.filter((row) => row.attemptCount > 1).map((row) => row.id);
  const past = new Map<string, Past>();
  if (again.length > 0) {
    for (const row of (await client.query<Past>(LOOK_BACK, [again])).rows) past.set(row.id, row);
  }
  const prepared = prepare(subscriptionId, claimId, rows, past, probe);
  if (prepared.length > 0) {
    await client.query({
      name: 'webhook_attempts',
      text: INSERT_ATTEMPTS,
      values: [
        prepared.map(({ attempt }) => attempt.attemptId),
        prepared.map(({ attempt }) => attempt.deliveryId),
        rows.map((row) => row.attemptCount),
        prepared.map(({ attempt }) => attempt.body.toString('utf8')),
        prepared.map(({ kept }) => JSON.stringify(kept)),
        rows.map((row) => triggerOf(row, past.get(row.id), probe)),
      ],
    });
  }
  return prepared.map(({ attempt }) => attempt);
}

function triggerOf(row: ClaimRow, past: Past | undefined, probe: boolean): 'first' | 'retry' | 'replay' | 'probe' {
  if (probe) return 'probe';
  if (row.replayedAt && (past?.tries ?? 0) === 0) return 'replay';
  return row.attemptCount === 1 ? 'first' : 'retry';
}

/** The secrets of a subscription, decrypted once for all deliveries of a claim. */
function unlock(row: ClaimRow): { secrets: string[]; credential: Credential } {
  const { signPayload, signingSecretEncrypted, previousSecretEncrypted, authSecretEncrypted } = row;
  const encrypted = signPayload ? [signingSecretEncrypted, previousSecretEncrypted] : [];
  return {
    secrets: encrypted.flatMap((each) => (each ? [decryptSecret(each)] : [])),
    credential: authSecretEncrypted ? JSON.parse(decryptSecret(authSecretEncrypted)) : null,
  };
}

function prepare(subscriptionId: string, claimId: string, rows: ClaimRow[], past: Map<string, Past>, probe: boolean) {
  const [first] = rows;
  if (!first) return [];
  const { secrets, credential } = unlock(first);
  const echoes = echoesOf(credential);
  return rows.map((row) => {
    const attemptId = newId('wha');
    const { eventId, type, version, aggregateType, aggregateId, payload, metadata, occurredAt } = row;
    const before = past.get(row.id);
    const { body, headers } = buildRequest({
      attemptId,
      deliveryId: row.id,
      subscriptionId,
      attempt: row.attemptCount,
      event: { id: eventId, type, version, aggregateType, aggregateId, payload, metadata, occurredAt },
      secrets,
      credential,
      sentBefore: before?.body ?? null,
      sentAt: row.sentAt,
    });
    const { maxRetries, retryBaseDelayMs, retryBackoffMultiplier, url, timeoutMs } = row;
    const attempt: ClaimedAttempt = {
      deliveryId: row.id,
      attemptId,
      claimId,
      url,
      body: Buffer.from(body),
      headers,
      timeoutMs,
      policy: { maxRetries, retryBaseDelayMs, retryBackoffMultiplier },
      failures: before?.failures ?? 0,
      probe,
      echoes,
    };
    return { attempt, kept: redactHeaders(headers, credential) };
  });
}

// Back to its place in the order, which is past.
const RELEASE = `
  WITH given AS (
    UPDATE webhook_delivery d SET "claimId" = NULL, "claimedUntil" = NULL, "updatedAt" = now(),
      "nextAttemptAt" = coalesce(d."replayedAt", d."createdAt"), "attemptCount" = d."attemptCount" - 1
    FROM unnest($1::text[], $2::text[], $3::text[]) AS v (delivery, claim, attempt)
    WHERE d.id = v.delivery AND d."claimId" = v.claim AND d.status = 'pending'
    RETURNING v.attempt
  )
  DELETE FROM webhook_attempt a USING given WHERE a.id = given.attempt`;

/** Gives back claims whose request was not sent, as if they had not been made. */
export async function releaseClaims(attempts: ClaimedAttempt[]): Promise<void> {
  if (attempts.length === 0) return;
  await pool.query(RELEASE, [
    attempts.map((attempt) => attempt.deliveryId),
    attempts.map((attempt) => attempt.claimId),
    attempts.map((attempt) => attempt.attemptId),
  ]);
}
