import { createHmac, randomBytes } from 'node:crypto';
import { eventGroups, isEventType } from '@/server/event-catalogue';

/** Hours after its event that a delivery is still attempted. */
export const retryWindowMs = 24 * 3_600_000;

/** Whether a subscription may list this: a type, `group.*` or `*`. */
export function isEventPattern(text: string): boolean {
  if (text === '*' || isEventType(text)) return true;
  return eventGroups.some((group) => text === `${group}.*`);
}

/** The patterns that match a type. */
export function patternsFor(type: string): string[] {
  return [type, `${type.split('.')[0]}.*`, '*'];
}

/** A signing secret: its text keys `X-Webhook-Signature`, the bytes behind `whsec_` key Standard Webhooks. */
export function mintSigningSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

export type DeliveryEvent = {
  id: string;
  type: string;
  version: number;
  aggregateType: string;
  aggregateId: string;
  payload: unknown;
  metadata: unknown;
  occurredAt: Date;
};

export type DeliveryEnvelope = {
  attemptId: string;
  deliveryId: string;
  subscriptionId: string;
  /** From 1. */
  attempt: number;
  event: DeliveryEvent;
  /** Null: nothing is signed. */
  secret: string | null;
  sentAt: Date;
};

const hexHmac = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('hex');

/** The payload as specified, without its signature. */
export function deliveryPayload(envelope: Omit<DeliveryEnvelope, 'secret' | 'sentAt' | 'deliveryId'>) {
  const { event } = envelope;
  return {
    id: envelope.attemptId,
    event: { id: event.id, type: event.type, timestamp: event.occurredAt.toISOString(), version: event.version },
    data: {
      aggregateId: event.aggregateId,
      aggregateType: event.aggregateType,
      payload: event.payload,
      metadata: event.metadata,
    },
    webhook: { subscriptionId: envelope.subscriptionId, attempt: envelope.attempt, isRetry: envelope.attempt > 1 },
  };
}

/** The exact request of one attempt: the body's text, and the headers in lower case. */
export function buildRequest(envelope: DeliveryEnvelope): { body: string; headers: Record<string, string> } {
  const payload = deliveryPayload(envelope);
  const { secret, event } = envelope;
  const seconds = String(Math.floor(envelope.sentAt.getTime() / 1000));
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'user-agent': 'Laurel-Webhooks/1',
    accept: '*/*',
    'accept-encoding': 'identity',
    'x-webhook-id': envelope.attemptId,
    'x-webhook-event': event.type,
    'x-webhook-timestamp': seconds,
    'webhook-id': envelope.deliveryId,
    'webhook-timestamp': seconds,
  };
  const unsigned = JSON.stringify(payload);
  if (secret === null) return { body: unsigned, headers };
  const body = `${unsigned.slice(0, -1)},"signature":"${hexHmac(secret, unsigned)}"}`;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const standard = createHmac('sha256', key).update(`${envelope.deliveryId}.${seconds}.${body}`).digest('base64');
  headers['x-webhook-signature'] = hexHmac(secret, body);
  headers['webhook-signature'] = `v1,${standard}`;
  return { body, headers };
}

/** Milliseconds that a `Retry-After` (seconds or a date) asks for, at most 24 hours; 0 without a readable one. */
export function retryAfterMs(header: string | string[] | undefined, now: Date): number {
  const text = (Array.isArray(header) ? header[0] : header)?.trim() ?? '';
  const wait = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now.getTime();
  return Number.isFinite(wait) ? Math.min(Math.max(wait, 0), retryWindowMs) : 0;
}

export type RetryPolicy = { maxRetries: number; retryBaseDelayMs: number; retryBackoffMultiplier: number };

/**
 * What follows a failed attempt: milliseconds until the next one, or null when all retries are used up.
 * @param failures failed attempts so far, this one included
 * @param random from 0 to 1; spreads the delay by a tenth to either side
 */
export function retryDelayMs(
  policy: RetryPolicy,
  failures: number,
  askedForMs: number,
  random: number = Math.random(),
): number | null {
  if (failures > policy.maxRetries) return null;
  const plain = policy.retryBaseDelayMs * policy.retryBackoffMultiplier ** (failures - 1);
  const jittered = plain * (0.9 + 0.2 * random);
  return Math.round(Math.min(Math.max(jittered, askedForMs), 2 * retryWindowMs));
}
