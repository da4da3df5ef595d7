import { newId } from '@/domain/ids';
import { defaultRetryPolicy, retrySchedule } from '@/domain/webhooks/retry';
import type { WebhookAttemptCreateManyInput, WebhookDeliveryCreateManyInput } from '@/generated/prisma/models';
import { encryptSecret } from '@/server/crypto';
import { db } from '@/server/db';
import type { DeliveryEvent } from '@/server/delivery/request/payload';
import { buildRequest } from '@/server/delivery/request/request';
import { createSigningSecret } from '@/server/delivery/secrets';
import type { Person } from './people';

/** A host name that never resolves, so that the demo sends nothing anywhere. */
const url = 'https://overlay.example.com/laurel';
const day = 24 * 60 * 60_000;
const pastMs = 7 * day;
/** A younger event could not have had all its retries. */
const overMs = 2 * 60 * 60_000;

type Answer = { status: number; body: string } | null;
type Fault = { answer: Answer; errorClass: string; errorMessage: string; ms: number };

const restarting: Fault = {
  answer: { status: 503, body: 'restarting, be right back' },
  errorClass: 'http_5xx',
  errorMessage: 'The server responded with 503.',
  ms: 41,
};
const silent: Fault = {
  answer: null,
  errorClass: 'timeout',
  errorMessage: 'No complete response within 10000 ms.',
  ms: 10_000,
};
const unwanted: Fault = {
  answer: { status: 422, body: '{"error":"no scene for this tournament"}' },
  errorClass: 'http_4xx',
  errorMessage: 'The server responded with 422.',
  ms: 88,
};

/** When the default policy makes its attempts, in milliseconds from the first one. */
const attemptsAtMs = retrySchedule(defaultRetryPolicy).map((seconds) => seconds * 1_000);

/** The faults of an event by its index from the newest: one failure, half an hour of failures, or failures only. */
function faultsOf(place: number): Fault[] {
  if (place === 4) return attemptsAtMs.map(() => unwanted);
  if (place === 13) return attemptsAtMs.slice(1).map(() => restarting);
  return place % 11 === 8 ? [silent] : [];
}

/** Most responses are quick, some are slow; the same ones at every seeding. */
const answerMs = (place: number) => (place % 9 === 5 ? 700 + ((place * 97) % 600) : 60 + ((place * 53) % 140));

type Subscription = { id: string; projectId: string; secret: string };

/** One event's delivery and its attempts, as if they had been made. */
function history(event: DeliveryEvent, place: number, { id: subscriptionId, projectId, secret }: Subscription) {
  const deliveryId = newId('whd');
  const faults = faultsOf(place);
  const delivered = faults.length < attemptsAtMs.length;
  const tries: (Fault | null)[] = delivered ? [...faults, null] : faults;
  let previousBody: string | null = null;
  const attempts = tries.map((fault, index): WebhookAttemptCreateManyInput => {
    const attemptId = newId('wha');
    const startedAt = new Date(event.occurredAt.getTime() + 40 + (attemptsAtMs[index] ?? 0));
    const again = tries.length > index + 1 ? attemptsAtMs[index + 1] : undefined;
    const { body, headers } = buildRequest({
      attemptId,
      deliveryId,
      subscriptionId,
      attempt: index + 1,
      event,
      secrets: [secret],
      credential: null,
      previousBody,
      sentAt: startedAt,
    });
    previousBody = body;
    const durationMs = fault?.ms ?? answerMs(place);
    const answer = fault ? fault.answer : { status: 200, body: 'ok' };
    return {
      id: attemptId,
      deliveryId,
      number: index + 1,
      trigger: index === 0 ? 'first' : 'retry',
      outcome: fault ? 'failed' : 'succeeded',
      startedAt,
      durationMs,
      timings: { dnsMs: 2, connectMs: 9, tlsMs: 14, firstByteMs: answer && durationMs - 26, totalMs: durationMs },
      nextAttemptAt: again === undefined ? null : new Date(event.occurredAt.getTime() + 40 + again),
      requestBody: body,
      requestHeaders: headers,
      responseStatus: answer?.status ?? null,
      responseHeaders: answer
        ? { 'content-type': 'text/plain', 'content-length': String(answer.body.length) }
        : undefined,
      responseBody: answer?.body ?? null,
      peerAddress: '192.0.2.10',
      errorClass: fault?.errorClass ?? null,
      errorMessage: fault?.errorMessage ?? null,
    };
  });
  const last = attempts.at(-1);
  const completedAt = new Date(new Date(last?.startedAt ?? event.occurredAt).getTime() + (last?.durationMs ?? 0));
  const delivery: WebhookDeliveryCreateManyInput = {
    id: deliveryId,
    subscriptionId,
    projectId,
    eventId: event.id,
    eventType: event.type,
    status: delivered ? 'delivered' : 'failed',
    attemptCount: attempts.length,
    expiresAt: new Date(event.occurredAt.getTime() + day),
    completedAt,
    createdAt: event.occurredAt,
    updatedAt: completedAt,
  };
  return { delivery, attempts };
}

/**
 * A subscription that received the demo's events until it was paused: most were delivered at once, some at the second
 * attempt, one after half an hour, one never. It stays paused until somebody gives it a real address.
 */
export async function seedWebhooks(projectId: string, owner: Person, now: number): Promise<void> {
  const events = await db.domainEvent.findMany({
    where: { projectId, occurredAt: { gt: new Date(now - pastMs), lt: new Date(now - overMs) } },
    orderBy: [{ occurredAt: 'desc' }, { sequence: 'desc' }],
  });
  const secret = createSigningSecret();
  const subscription = { id: newId('whs'), projectId, secret };
  const rows = events.map((event, place) => history(event, place, subscription));
  const [newest] = rows;
  await db.$transaction([
    db.webhookSubscription.deleteMany({ where: { projectId, url, status: 'paused' } }),
    db.webhookSubscription.create({
      data: {
        id: subscription.id,
        projectId,
        url,
        description: 'Stream overlay (example)',
        events: ['*'],
        signingSecretEncrypted: encryptSecret(secret),
        status: 'paused',
        pausedAt: new Date(now),
        lastAttemptAt: newest?.delivery.completedAt,
        lastDeliveredAt: newest?.delivery.completedAt,
        createdById: owner.id,
        createdAt: new Date(now - pastMs),
      },
      select: { id: true },
    }),
    db.webhookDelivery.createMany({ data: rows.map(({ delivery }) => delivery) }),
    db.webhookAttempt.createMany({ data: rows.flatMap(({ attempts }) => attempts) }),
  ]);
}

/** Moves the history of that subscription up to `now` (milliseconds), if it is still paused. */
export async function renewWebhooks(now: number): Promise<void> {
  const found = await db.webhookSubscription.findFirst({
    where: { url, status: 'paused', project: { slug: 'demo' } },
    select: { id: true, pausedAt: true },
  });
  if (!found?.pausedAt) return;
  const byMs = now - found.pausedAt.getTime();
  await db.$transaction([
    db.$executeRaw`
      UPDATE webhook_attempt a SET "startedAt" = a."startedAt" + ${byMs} * interval '1 millisecond',
        "nextAttemptAt" = a."nextAttemptAt" + ${byMs} * interval '1 millisecond'
      FROM webhook_delivery d
      WHERE d.id = a."deliveryId" AND d."subscriptionId" = ${found.id} AND d."createdAt" < ${found.pausedAt}`,
    db.$executeRaw`
      UPDATE webhook_delivery SET "createdAt" = "createdAt" + ${byMs} * interval '1 millisecond',
        "completedAt" = "completedAt" + ${byMs} * interval '1 millisecond',
        "expiresAt" = "expiresAt" + ${byMs} * interval '1 millisecond'
      WHERE "subscriptionId" = ${found.id} AND "createdAt" < ${found.pausedAt}`,
    db.webhookSubscription.update({
      where: { id: found.id },
      data: { pausedAt: new Date(now), createdAt: new Date(now - pastMs) },
      select: { id: true },
    }),
  ]);
}
