import { createHash } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import type { RetryPolicy } from '@/domain/webhooks/retry';
import { decryptSecret } from '@/server/crypto';
import { blamelessMessages } from '@/server/delivery/outbound/post';
import { abandonedMessage, maxPrevious } from '@/server/delivery/queue/expire';
import { type Credential, credentialEchoes, redactHeaders } from '@/server/delivery/request/credentials';
import type { EchoForm } from '@/server/delivery/request/echoes';
import type { DeliveryEvent } from '@/server/delivery/request/payload';
import { buildRequest } from '@/server/delivery/request/request';

/** Events that this process took together, and whose deliveries it sends before they are stored: the claim stands for them. */
export type EventClaim = {
  id: string;
  /** How many of the deliveries are not stored. */
  unstored: number;
};

/** What requests of a subscription are made with, as its row has it at the claim. */
export type SenderSettings = RetryPolicy & {
  url: string;
  timeoutMs: number;
  signPayload: boolean;
  signingSecretEncrypted: string | null;
  previousSecretEncrypted: string | null;
  authSecretEncrypted: string | null;
};

/** A delivery as it was claimed, with its event. */
type ClaimedDelivery = {
  id: string;
  attemptCount: number;
  replayedAt: Date | null;
  /** When the delivery was last changed before this claim: where a claim was lost, when that was made. */
  claimedBefore: Date;
  sentAt: Date;
  event: DeliveryEvent;
};

/** What the statement of a claim returns for each delivery. */
export type ClaimRow = SenderSettings &
  Omit<ClaimedDelivery, 'event'> &
  Omit<DeliveryEvent, 'id'> & { eventId: string };

const blameless = Object.values(blamelessMessages)
  .map((message) => `'${message}'`)
  .join(', ');

// What is still running here was claimed by a process of an earlier version, which stored attempts before they ended. Each
// delivery's attempts are looked up by themselves: of many deliveries at once, PostgreSQL would read all attempts there are.
const PREVIOUS_ATTEMPTS = `
  WITH newest AS MATERIALIZED (
    SELECT d.id AS delivery, a.*, d."replayedAt" IS NULL OR a."startedAt" >= d."replayedAt" AS counts
    FROM webhook_delivery d CROSS JOIN LATERAL (
      SELECT id, number, outcome, trigger, "errorMessage", "startedAt" FROM webhook_attempt
      WHERE "deliveryId" = d.id AND number > d."attemptCount" - ${maxPrevious} ORDER BY number DESC LIMIT ${maxPrevious}) a
    WHERE d.id = ANY ($1)
  ), lost AS (
    UPDATE webhook_attempt SET outcome = 'unknown', "errorMessage" = '${abandonedMessage}'
    WHERE id = ANY (SELECT id FROM newest WHERE outcome = 'running')
  )
  SELECT d.id, count(*) FILTER (WHERE a.counts AND a.outcome = 'failed' AND a.trigger <> 'probe'
      AND coalesce(a."errorMessage", '') NOT IN (${blameless}))::int AS failures,
    count(*) FILTER (WHERE a.counts)::int AS tries, max(a.number) AS last,
    (SELECT "requestBody" FROM webhook_attempt b WHERE b."deliveryId" = d.id ORDER BY b.number DESC LIMIT 1) AS body
  FROM webhook_delivery d LEFT JOIN newest a ON a.delivery = d.id
  WHERE d.id = ANY ($1) GROUP BY d.id`;

/** `failures` and `tries` are counted from the last replay on; `last` and `body` are those of the newest attempt. */
type PreviousAttempts = { failures: number; tries: number; last: number | null; body: string | null };

// Attempts are stored with their results. One that is missing was made, or was about to be, by a process that died.
const INSERT_LOST = `
  INSERT INTO webhook_attempt (id, "deliveryId", number, trigger, outcome, "startedAt", "requestBody", "requestHeaders", "errorMessage")
  SELECT v.id, v.delivery, v.number, v.trigger::attempt_trigger, 'unknown', v.at, v.body, v.headers, '${abandonedMessage}'
  FROM unnest($1::text[], $2::text[], $3::int[], $4::text[], $5::timestamptz[], $6::text[], $7::jsonb[])
    AS v (id, delivery, number, trigger, at, body, headers)
  ON CONFLICT DO NOTHING`;

export type Claim = { subscriptionId: string; claimId: string; probe: boolean };

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/**
 * The id of an attempt, made from its delivery's: a process that takes over from one that died can name the attempt that the
 * other may have sent.
 */
export function attemptIdOf(deliveryId: string, number: number): string {
  const ulid = deliveryId.slice('whd_'.length);
  if (number === 1) return `wha_${ulid}`;
  const digest = createHash('sha256').update(`${ulid} ${number}`).digest();
  const random = Array.from(digest.subarray(0, 16), (byte) => alphabet[byte & 31]).join('');
  return `wha_${ulid.slice(0, 10)}${random}`;
}

/** The requests of claimed deliveries. Records attempts that were lost with a process. */
export async function prepareAttempts(
  on: Pool | PoolClient,
  claim: Claim,
  rows: ClaimRow[],
): Promise<ClaimedAttempt[]> {
  const [first] = rows;
  if (!first) return [];
  const sender = openSender(claim, first);
  const deliveries = rows.map(toDelivery);
  const again = rows.filter((row) => row.attemptCount > 1).map((row) => row.id);
  if (again.length === 0) return deliveries.map((delivery) => new ClaimedAttempt(sender, delivery, null));
  const found = await on.query<PreviousAttempts & { id: string }>(PREVIOUS_ATTEMPTS, [again]);
  const previous = new Map(found.rows.map((row) => [row.id, row]));
  await recordLost(on, sender, deliveries, previous);
  return deliveries.map((delivery) => new ClaimedAttempt(sender, delivery, previous.get(delivery.id) ?? null));
}

function toDelivery(row: ClaimRow): ClaimedDelivery {
  const { id, attemptCount, replayedAt, claimedBefore, sentAt, eventId } = row;
  const { type, version, aggregateType, aggregateId, payload, metadata, occurredAt } = row;
  const event = { id: eventId, type, version, aggregateType, aggregateId, payload, metadata, occurredAt };
  return { id, attemptCount, replayedAt, claimedBefore, sentAt, event };
}

/** Stores the attempts before these as unknown where they have no row, and notes them in `previous`. */
async function recordLost(
  on: Pool | PoolClient,
  sender: OpenSender,
  deliveries: ClaimedDelivery[],
  previous: Map<string, PreviousAttempts>,
): Promise<void> {
  const lost = deliveries.flatMap((delivery) => {
    const known = previous.get(delivery.id);
    if (!known) return [];
    // More than one, where a process died before it had stored those that it found.
    const missing = Math.max(delivery.attemptCount - 1 - (known.last ?? 0), 0);
    return Array.from({ length: missing }, (_, index) => {
      const attemptCount = delivery.attemptCount - missing + index;
      const before = { ...delivery, attemptCount, sentAt: delivery.claimedBefore };
      const attempt = new ClaimedAttempt(sender, before, known);
      known.body = attempt.body;
      known.tries += 1;
      return { attempt, at: delivery.claimedBefore };
    });
  });
  if (lost.length === 0) return;
  await on.query(INSERT_LOST, [
    lost.map(({ attempt }) => attempt.attemptId),
    lost.map(({ attempt }) => attempt.deliveryId),
    lost.map(({ attempt }) => attempt.number),
    lost.map(({ attempt }) => attempt.trigger),
    lost.map(({ at }) => at),
    lost.map(({ attempt }) => attempt.body),
    lost.map(({ attempt }) => attempt.storedHeaders),
  ]);
}

/** What the requests of a claim have in common. */
export type OpenSender = Claim & {
  url: string;
  timeoutMs: number;
  policy: RetryPolicy;
  secrets: string[];
  credential: Credential;
  echoes: EchoForm[];
};

/** What credentials were made into, by their ciphertext: a long one takes half a millisecond, and each claim needs it. */
const knownEchoes = new Map<string, EchoForm[]>();
const maxKnownEchoes = 100;

function echoesOf(encrypted: string | null, credential: Credential): EchoForm[] {
  if (encrypted === null) return [];
  const known = knownEchoes.get(encrypted);
  if (known) return known;
  const echoes = credentialEchoes(credential);
  if (knownEchoes.size >= maxKnownEchoes) knownEchoes.clear();
  knownEchoes.set(encrypted, echoes);
  return echoes;
}

/** Decrypts the secrets of a subscription, once for all deliveries of a claim. */
export function openSender(claim: Claim, settings: SenderSettings): OpenSender {
  const { signPayload, signingSecretEncrypted, previousSecretEncrypted, authSecretEncrypted } = settings;
  const { url, timeoutMs, maxRetries, retryBaseDelayMs, retryBackoffMultiplier } = settings;
  const encrypted = signPayload ? [signingSecretEncrypted, previousSecretEncrypted] : [];
  const credential: Credential = authSecretEncrypted ? JSON.parse(decryptSecret(authSecretEncrypted)) : null;
  const secrets = encrypted.flatMap((each) => (each ? [decryptSecret(each)] : []));
  const policy = { maxRetries, retryBaseDelayMs, retryBackoffMultiplier };
  const echoes = echoesOf(authSecretEncrypted, credential);
  return { ...claim, url, timeoutMs, policy, secrets, credential, echoes };
}

/**
 * A delivery that this process may attempt now. It is stored with its result. Body and headers are made when they are first
 * read: a claim that waits too long is given back unread. A class, because a literal with getters has a shape of its own each
 * time, which costs V8 more than all else about an attempt but its signatures.
 */
export class ClaimedAttempt {
  readonly attemptId: string;
  private built: ReturnType<typeof buildRequest> | null = null;

  /**
   * @param previous what its earlier attempts were; null at the first
   * @param claimedWith the claim of its event, until the delivery is stored; null: it is
   */
  constructor(
    private readonly sender: OpenSender,
    private readonly delivery: ClaimedDelivery,
    private readonly previous: PreviousAttempts | null,
    public claimedWith: EventClaim | null = null,
  ) {
    this.attemptId = attemptIdOf(delivery.id, delivery.attemptCount);
  }

  get deliveryId(): string {
    return this.delivery.id;
  }

  get subscriptionId(): string {
    return this.sender.subscriptionId;
  }

  /** From 1. */
  get number(): number {
    return this.delivery.attemptCount;
  }

  get trigger(): 'first' | 'retry' | 'replay' | 'probe' {
    const { attemptCount, replayedAt } = this.delivery;
    if (this.sender.probe) return 'probe';
    if (replayedAt && (this.previous?.tries ?? 0) === 0) return 'replay';
    return attemptCount === 1 ? 'first' : 'retry';
  }

  get claimId(): string {
    return this.sender.claimId;
  }

  get eventId(): string {
    return this.delivery.event.id;
  }

  /** When it was claimed. */
  get sentAt(): Date {
    return this.delivery.sentAt;
  }

  get url(): string {
    return this.sender.url;
  }

  get body(): string {
    return this.request.body;
  }

  get headers(): Record<string, string> {
    return this.request.headers;
  }

  /** The headers without the credential, as JSON. */
  get storedHeaders(): string {
    return JSON.stringify(redactHeaders(this.headers, this.sender.credential));
  }

  get timeoutMs(): number {
    return this.sender.timeoutMs;
  }

  get policy(): RetryPolicy {
    return this.sender.policy;
  }

  /** Attempts that failed before this one, since the last replay; probes, and failures that are none of the receiver's, do not count. */
  get failures(): number {
    return this.previous?.failures ?? 0;
  }

  /** The one attempt that an open breaker lets through. */
  get probe(): boolean {
    return this.sender.probe;
  }

  /** Texts of the credential that must not be stored with the response. */
  get echoes(): EchoForm[] {
    return this.sender.echoes;
  }

  private get request() {
    const { attemptId, sender, delivery, previous } = this;
    this.built ??= buildRequest({
      attemptId,
      deliveryId: delivery.id,
      subscriptionId: sender.subscriptionId,
      attempt: delivery.attemptCount,
      event: delivery.event,
      secrets: sender.secrets,
      credential: sender.credential,
      sentAt: delivery.sentAt,
      previousBody: previous?.body ?? null,
    });
    return this.built;
  }
}
