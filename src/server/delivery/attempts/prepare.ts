import type { PoolClient } from 'pg';
import { newId } from '@/domain/ids';
import type { RetryPolicy } from '@/domain/webhooks/retry';
import { decryptSecret } from '@/server/crypto';
import { abandonedMessage } from '@/server/delivery/queue/expire';
import { type Credential, credentialEchoes, redactHeaders } from '@/server/delivery/request/credentials';
import type { DeliveryEvent } from '@/server/delivery/request/payload';
import { buildRequest } from '@/server/delivery/request/request';

/** A delivery that this process may attempt now; its request is stored already. */
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
  /** Texts of the credential that must not be stored with the response. */
  echoes: string[];
};

/** What the statement of a claim returns for each delivery. */
export type ClaimRow = RetryPolicy & {
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

// An attempt that is still running here lost its claim: its process died or was too slow.
const PREVIOUS_ATTEMPTS = `
  WITH lost AS (
    UPDATE webhook_attempt SET outcome = 'unknown', "errorMessage" = '${abandonedMessage}'
    WHERE "deliveryId" = ANY ($1) AND outcome = 'running'
  )
  SELECT d.id, count(a.id) FILTER (WHERE a.outcome = 'failed' AND a.trigger <> 'probe')::int AS failures,
    count(a.id)::int AS tries,
    (SELECT "requestBody" FROM webhook_attempt b WHERE b."deliveryId" = d.id ORDER BY b.number DESC LIMIT 1) AS body
  FROM webhook_delivery d LEFT JOIN webhook_attempt a
    ON a."deliveryId" = d.id AND (d."replayedAt" IS NULL OR a."startedAt" >= d."replayedAt")
  WHERE d.id = ANY ($1) GROUP BY d.id`;

/** `failures` and `tries` are counted from the last replay on; `body` is that of the newest attempt. */
type PreviousAttempts = { id: string; failures: number; tries: number; body: string | null };

const INSERT_ATTEMPTS = `
  INSERT INTO webhook_attempt (id, "deliveryId", number, "requestBody", "requestHeaders", trigger)
  SELECT * FROM unnest($1::text[], $2::text[], $3::int[], $4::text[], $5::jsonb[], $6::attempt_trigger[])`;

type Claim = { subscriptionId: string; claimId: string; probe: boolean };

/** Builds the requests of claimed deliveries and stores them as running attempts. */
export async function prepareAttempts(client: PoolClient, claim: Claim, rows: ClaimRow[]): Promise<ClaimedAttempt[]> {
  if (rows.length === 0) return [];
  const previous = await readPreviousAttempts(client, rows);
  const prepared = buildAttempts(claim, rows, previous);
  await client.query({
    name: 'webhook_attempts',
    text: INSERT_ATTEMPTS,
    values: [
      prepared.map(({ attempt }) => attempt.attemptId),
      prepared.map(({ attempt }) => attempt.deliveryId),
      rows.map((row) => row.attemptCount),
      prepared.map(({ attempt }) => attempt.body.toString('utf8')),
      prepared.map(({ storedHeaders }) => JSON.stringify(storedHeaders)),
      rows.map((row) => (claim.probe ? 'probe' : triggerOf(row, previous.get(row.id)))),
    ],
  });
  return prepared.map(({ attempt }) => attempt);
}

async function readPreviousAttempts(client: PoolClient, rows: ClaimRow[]): Promise<Map<string, PreviousAttempts>> {
  const ids = rows.filter((row) => row.attemptCount > 1).map((row) => row.id);
  if (ids.length === 0) return new Map();
  const found = await client.query<PreviousAttempts>(PREVIOUS_ATTEMPTS, [ids]);
  return new Map(found.rows.map((row) => [row.id, row]));
}

function triggerOf(row: ClaimRow, previous: PreviousAttempts | undefined): 'first' | 'retry' | 'replay' {
  if (row.replayedAt && (previous?.tries ?? 0) === 0) return 'replay';
  return row.attemptCount === 1 ? 'first' : 'retry';
}

/** The secrets of a subscription, decrypted once for all deliveries of a claim. */
function decryptSecrets(row: ClaimRow): { secrets: string[]; credential: Credential } {
  const { signPayload, signingSecretEncrypted, previousSecretEncrypted, authSecretEncrypted } = row;
  const encrypted = signPayload ? [signingSecretEncrypted, previousSecretEncrypted] : [];
  return {
    secrets: encrypted.flatMap((each) => (each ? [decryptSecret(each)] : [])),
    credential: authSecretEncrypted ? JSON.parse(decryptSecret(authSecretEncrypted)) : null,
  };
}

function buildAttempts(
  { subscriptionId, claimId, probe }: Claim,
  rows: ClaimRow[],
  previous: Map<string, PreviousAttempts>,
) {
  const [first] = rows;
  if (!first) return [];
  const { secrets, credential } = decryptSecrets(first);
  const echoes = credentialEchoes(credential);
  return rows.map((row) => {
    const attemptId = newId('wha');
    const { eventId, type, version, aggregateType, aggregateId, payload, metadata, occurredAt } = row;
    const { body, headers } = buildRequest({
      attemptId,
      deliveryId: row.id,
      subscriptionId,
      attempt: row.attemptCount,
      event: { id: eventId, type, version, aggregateType, aggregateId, payload, metadata, occurredAt },
      secrets,
      credential,
      previousBody: previous.get(row.id)?.body ?? null,
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
      failures: previous.get(row.id)?.failures ?? 0,
      probe,
      echoes,
    };
    return { attempt, storedHeaders: redactHeaders(headers, credential) };
  });
}
