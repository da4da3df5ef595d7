import { createHmac, randomBytes } from 'node:crypto';
import { type EventType, eventCatalog, eventGroups, isEventType } from '@/server/events/catalog/catalog';

/** Hours after its event that a delivery is still attempted. */
export const retryWindowMs = 24 * 3_600_000;

/** What the sender says of an attempt whose end nobody knows. */
export const abandoned = 'The sender stopped before it knew the answer.';

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

/** What a subscription proves itself with, decrypted; null where its mode needs nothing. */
export type Credential =
  | { token: string }
  | { username: string; password: string }
  | { headerName: string; headerValue: string }
  | null;

export type DeliveryEnvelope = {
  attemptId: string;
  deliveryId: string;
  subscriptionId: string;
  /** From 1. */
  attempt: number;
  event: DeliveryEvent;
};

export type RequestToSend = DeliveryEnvelope & {
  /** Signing secrets, the current one first; empty: nothing is signed. */
  secrets: string[];
  credential: Credential;
  /** The body of an earlier attempt, which is sent again; null at the first. */
  sentBefore: string | null;
  sentAt: Date;
};

const hexHmac = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('hex');

/** The payload as specified, without its signature. */
export function deliveryPayload(envelope: Omit<DeliveryEnvelope, 'deliveryId'>) {
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

/** A whole delivery of a type as it arrives, for readers of the documentation. */
export function exampleDelivery(type: EventType) {
  const { version, aggregateType, example } = eventCatalog[type];
  const idField = `${aggregateType.split('_').at(-1)}Id`;
  const delivery = deliveryPayload({
    attemptId: 'wha_01k9xa0b7s1f8h0j2k3m4n5p6q',
    subscriptionId: 'whs_01k9x9a6r0e7g9h1j2m3n4p5q6',
    attempt: 1,
    event: {
      id: 'evt_01k9xb1c8t2g9j1k3m4n5p6q7r',
      type,
      version,
      aggregateType,
      aggregateId: String(new Map<string, unknown>(Object.entries(example)).get(idField)),
      payload: example,
      metadata: { actor: { type: 'user', id: 'usr_01k9x1k3b7q4s6t8v9w0x1y2z3' }, requestId: null },
      occurredAt: new Date('2026-11-21T18:00:00.000Z'),
    },
  });
  return { ...delivery, signature: '5f1d3c0a8e7b6a594837261504f3e2d1c0b9a8978675645342312f1e0d0c0b0a' };
}

type SentPayload = ReturnType<typeof deliveryPayload> & { signature?: string };

/** The body of an earlier attempt with the fields of this one: what the receiver was told stays as it was, byte for byte. */
function payloadAgain({ sentBefore, attemptId, attempt }: RequestToSend & { sentBefore: string }) {
  const { signature: _, ...payload } = JSON.parse(sentBefore) as SentPayload;
  return { ...payload, id: attemptId, webhook: { ...payload.webhook, attempt, isRetry: attempt > 1 } };
}

function credentialHeaders(credential: Credential): Record<string, string> {
  if (credential === null) return {};
  if ('token' in credential) return { authorization: `Bearer ${credential.token}` };
  if ('username' in credential) {
    const pair = Buffer.from(`${credential.username}:${credential.password}`).toString('base64');
    return { authorization: `Basic ${pair}` };
  }
  return { [credential.headerName.toLowerCase()]: credential.headerValue };
}

/** Stands where a credential stood. */
export const redacted = '[redacted]';

/** Headers as they may be kept: without the credential. */
export function redactHeaders(headers: Record<string, string>, credential: Credential): Record<string, string> {
  if (credential === null) return headers;
  if ('token' in credential) return { ...headers, authorization: `Bearer ${redacted}` };
  if ('username' in credential) return { ...headers, authorization: `Basic ${redacted}` };
  return { ...headers, [credential.headerName.toLowerCase()]: redacted };
}

/** Shorter texts of a credential stand by chance in many an answer. */
const tellingLength = 6;

/** What of a credential an answer may repeat, as receivers do that show what they were sent. */
export function echoesOf(credential: Credential): string[] {
  if (credential === null) return [];
  const values = Object.values(credentialHeaders(credential)).map((value) => value.replace(/^(Bearer|Basic) /, ''));
  const texts = 'username' in credential ? [...values, credential.password] : values;
  return texts.filter((text) => text.length >= tellingLength);
}

/** An answer's part as it may be kept: without what was repeated of the credential. */
export function withoutEchoes<T>(part: T, echoes: readonly string[]): T {
  const hide = (value: unknown): unknown => {
    if (typeof value === 'string') return echoes.reduce((text, echo) => text.replaceAll(echo, redacted), value);
    if (Array.isArray(value)) return value.map(hide);
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, hide(each)]));
  };
  return echoes.length === 0 ? part : (hide(part) as T);
}

/**
 * The exact request of one attempt: the body's text, and the headers in lower case. A credential cannot replace what
 * tells events apart or how to read them.
 */
export function buildRequest(request: RequestToSend): { body: string; headers: Record<string, string> } {
  const { secrets, sentBefore, attemptId, deliveryId } = request;
  const payload = sentBefore === null ? deliveryPayload(request) : payloadAgain({ ...request, sentBefore });
  const seconds = String(Math.floor(request.sentAt.getTime() / 1000));
  const headers: Record<string, string> = {
    'user-agent': 'Laurel-Webhooks/1',
    accept: '*/*',
    ...credentialHeaders(request.credential),
    'content-type': 'application/json',
    'accept-encoding': 'identity',
    'x-webhook-id': attemptId,
    'x-webhook-event': request.event.type,
    'x-webhook-timestamp': seconds,
    'webhook-id': deliveryId,
    'webhook-timestamp': seconds,
  };
  const unsigned = JSON.stringify(payload);
  const [secret] = secrets;
  if (secret === undefined) return { body: unsigned, headers };
  const body = `${unsigned.slice(0, -1)},"signature":"${hexHmac(secret, unsigned)}"}`;
  headers['x-webhook-signature'] = hexHmac(secret, body);
  const signed = `${deliveryId}.${seconds}.${body}`;
  headers['webhook-signature'] = secrets
    .map((each) => {
      const key = Buffer.from(each.replace(/^whsec_/, ''), 'base64');
      return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
    })
    .join(' ');
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

/**
 * What follows an attempt: milliseconds until the delivery's next one; null when it is over, well or badly. 410 ends it at
 * once. A failed probe costs the delivery nothing but its place in the queue.
 * @param askedForMs what a Retry-After asks for
 */
export function nextDelayMs(
  attempt: { policy: RetryPolicy; failures: number; probe: boolean },
  result: { succeeded: boolean; status: number | null },
  askedForMs: number,
  random: number = Math.random(),
): number | null {
  if (result.succeeded || result.status === 410) return null;
  const { policy, failures, probe } = attempt;
  if (probe) return retryDelayMs({ ...policy, maxRetries: 1 }, 1, askedForMs, random);
  return retryDelayMs(policy, failures + 1, askedForMs, random);
}

/** Status codes that a health check expects where none are named. */
const usuallyExpected = [200, 204];

/** What a health check says: whether a complete answer came with an expected status, in one sentence. */
export function healthOf(
  result: { status: number | null; errorClass: string | null; errorMessage: string | null; durationMs: number },
  expected: readonly number[],
): { status: 'healthy' | 'unhealthy'; detail: string } {
  const { status, errorClass, errorMessage, durationMs } = result;
  const codes = expected.length > 0 ? expected : usuallyExpected;
  const complete = status !== null && (errorClass === null || errorClass.startsWith('http_'));
  if (!complete) return { status: 'unhealthy', detail: errorMessage ?? 'No answer.' };
  if (codes.includes(status)) return { status: 'healthy', detail: `Answered ${status} in ${durationMs} ms.` };
  return { status: 'unhealthy', detail: `Answered ${status}; expected ${codes.join(', ')}.` };
}
