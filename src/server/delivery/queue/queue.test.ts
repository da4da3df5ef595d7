import { createHmac } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { encryptSecret } from '@/server/crypto';
import { db } from '@/server/db';
import { claimDue } from '@/server/delivery/attempts/claim';
import { completeAttempts } from '@/server/delivery/attempts/complete';
import { drain } from '@/server/delivery/attempts/drain';
import { webhookAgent } from '@/server/delivery/outbound/policy';
import { post } from '@/server/delivery/outbound/post';
import { expireOverdue, holdAll, releaseHeld, requeue } from '@/server/delivery/queue/queue';
import { mintSigningSecret } from '@/server/delivery/rules';
import { deliveriesOf } from '@/test/deliveries';
import { makeQueue } from '@/test/queue';

// Processes that start and leases that end take their time on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

/** Lines 3, 6, 7, 9, 11 and 12 of the acceptance list, each queue looked at by hand. */

const past = () => new Date(Date.now() - 1000);
const hmac = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('hex');

describe('rate caps', () => {
  const aged = (subscriptionId: string, seconds: number) =>
    db.$executeRaw`UPDATE webhook_rate_bucket SET "startsAt" = "startsAt" - ${seconds} * interval '1 second' WHERE "subscriptionId" = ${subscriptionId}`;

  it.each([
    ['perMinute', 62],
    ['perHour', 3_700],
    ['perDay', 88_000],
    ['burst', 2],
  ])('%s: defers what is over it, spends no attempt, loses nothing', async (cap, seconds) => {
    const { subscription, target, counts, eventIds } = await makeQueue({ rateLimitConfig: { [cap]: 5 } }, 12);
    for (const delivered of [5, 10, 12]) {
      const next = await drain(subscription.id);
      expect(target.received).toHaveLength(delivered);
      if (delivered === 12) break;
      expect(next?.inMs).toBeGreaterThan(0);
      expect(next?.inMs).toBeLessThanOrEqual(seconds * 1000);
      expect(await counts()).toEqual({ delivered, pending: 12 - delivered });
      const waiting = (await deliveriesOf(subscription.id)).filter((row) => row.status === 'pending');
      expect(waiting.every((row) => row.attemptCount === 0 && row.attempts.length === 0)).toBe(true);
      await aged(subscription.id, seconds);
    }
    expect(await counts()).toEqual({ delivered: 12 });
    expect(new Set(target.eventIds())).toEqual(new Set(eventIds));
  });

  it('hold however many look at the queue at once', async () => {
    const { subscription, target } = await makeQueue(
      { rateLimitConfig: { perMinute: 30, perHour: 17, burst: 25 } },
      60,
    );
    await Promise.all(Array.from({ length: 6 }, () => drain(subscription.id)));
    expect(target.received).toHaveLength(17);
  });

  it('count retries too', async () => {
    const { subscription, target } = await makeQueue({ rateLimitConfig: { perMinute: 2 } }, 1, (_request, response) => {
      response.writeHead(500).end();
    });
    const due = () =>
      db.webhookDelivery.updateMany({ where: { subscriptionId: subscription.id }, data: { nextAttemptAt: past() } });
    for (let round = 0; round < 4; round += 1) {
      await drain(subscription.id);
      await due();
    }
    expect(target.received).toHaveLength(2);
  });
});

describe('Retry-After', () => {
  it.each([
    ['seconds', 429, () => '3600', 3_600_000],
    ['a date', 503, () => new Date(Date.now() + 7_200_000).toUTCString(), 7_200_000],
    ['too long, cut to 24 hours', 503, () => '9999999', 86_400_000],
  ])('in %s holds the whole subscription', async (_name, status, header, ms) => {
    const { subscription, target, row, more } = await makeQueue({}, 60, (_request, response) => {
      response.writeHead(status, { 'retry-after': header() }).end();
    });
    const next = await drain(subscription.id);
    const sent = target.received.length;
    expect(sent).toBeLessThanOrEqual(20);
    const wait = ((await row()).holdUntil?.getTime() ?? 0) - Date.now();
    expect(wait).toBeGreaterThan(ms - 60_000);
    expect(wait).toBeLessThanOrEqual(ms + 1000);
    expect(Math.abs(Date.parse(next?.at ?? '') - Date.now() - wait)).toBeLessThan(5_000);
    await more(5);
    await drain(subscription.id);
    expect(target.received).toHaveLength(sent);
    const untouched = (await deliveriesOf(subscription.id)).filter((delivery) => delivery.attemptCount === 0);
    expect(untouched).toHaveLength(65 - sent);
    expect(untouched.every((delivery) => delivery.status === 'pending')).toBe(true);
  });

  it.each([500, 404, 302])('of a %d puts off the retry of that delivery alone', async (status) => {
    const { subscription, target, row, more } = await makeQueue({ retryBaseDelayMs: 1000 }, 1, (_request, response) => {
      response.writeHead(status, { 'retry-after': '3600' }).end();
    });
    await drain(subscription.id);
    const [delivery] = await deliveriesOf(subscription.id);
    const wait = (delivery?.nextAttemptAt?.getTime() ?? 0) - Date.now();
    expect(wait).toBeGreaterThan(3_540_000);
    expect(wait).toBeLessThanOrEqual(3_601_000);
    expect(await row()).toMatchObject({ holdUntil: null, consecutiveFailures: 1 });
    await more(1);
    await drain(subscription.id);
    expect(target.received).toHaveLength(2);
  });

  it('lets everything go when it ends', async () => {
    let status = 500;
    const { subscription, set, counts } = await makeQueue({ retryBaseDelayMs: 1000 }, 1, (_request, response) => {
      response.writeHead(status).end();
    });
    await drain(subscription.id);
    status = 200;
    await db.webhookDelivery.updateMany({
      where: { subscriptionId: subscription.id },
      data: { nextAttemptAt: past() },
    });
    await set({ holdUntil: new Date(Date.now() + 60_000) });
    await drain(subscription.id);
    expect(await counts()).toEqual({ pending: 1 });
    await set({ holdUntil: past() });
    await drain(subscription.id);
    expect(await counts()).toEqual({ delivered: 1 });
  });
});

describe('paused or disabled', () => {
  it.each(['paused', 'disabled'] as const)('%s: kept as held and visible; resumed, sent in order', async (status) => {
    const { subscription, target, set, more, counts, eventIds } = await makeQueue({}, 30);
    await db.$transaction(async (tx) => {
      await tx.webhookSubscription.update({ where: { id: subscription.id }, data: { status } });
      await holdAll(tx, subscription.id);
    });
    const later = await more(5);
    expect(await counts()).toEqual({ [`held ${status}`]: 35 });
    expect(await drain(subscription.id)).toBeNull();
    expect(target.received).toEqual([]);
    await set({ status: 'active' });
    await db.$transaction((tx) => releaseHeld(tx, subscription.id));
    expect(await counts()).toEqual({ pending: 35 });
    await drain(subscription.id);
    const arrived = target.eventIds();
    const order = [...eventIds, ...later];
    expect(new Set(arrived)).toEqual(new Set(order));
    for (const [index, id] of arrived.entries()) expect(Math.abs(order.indexOf(id) - index)).toBeLessThan(10);
  });

  it('without a word to the queue, the next look puts everything where it belongs', async () => {
    const { subscription, set, counts } = await makeQueue({}, 4);
    await set({ status: 'paused' });
    await drain(subscription.id);
    expect(await counts()).toEqual({ 'held paused': 4 });
    await set({ status: 'disabled' });
    await db.$transaction((tx) => holdAll(tx, subscription.id));
    expect(await counts()).toEqual({ 'held disabled': 4 });
    await set({ status: 'active' });
    await drain(subscription.id);
    expect(await counts()).toEqual({ delivered: 4 });
  });

  it('what is held expires after 24 hours as well', async () => {
    const { subscription, counts } = await makeQueue({ status: 'paused' }, 3);
    await db.webhookDelivery.updateMany({ where: { subscriptionId: subscription.id }, data: { expiresAt: past() } });
    await expireOverdue(null);
    expect(await counts()).toEqual({ expired: 3 });
  });
});

describe('replay', () => {
  it('sends the stored bytes again under the same event id, with all retries anew', async () => {
    let status = 500;
    const { subscription, target, counts, eventIds } = await makeQueue({ maxRetries: 0 }, 1, (_request, response) => {
      response.writeHead(status).end();
    });
    await drain(subscription.id);
    expect(await counts()).toEqual({ failed: 1 });
    const [delivery] = await deliveriesOf(subscription.id);
    const again = () => db.$transaction((tx) => requeue(tx, [delivery?.id ?? '']));
    expect(await again()).toEqual([delivery?.id]);
    await db.webhookSubscription.update({ where: { id: subscription.id }, data: { maxRetries: 1 } });
    await drain(subscription.id);
    expect(await counts()).toEqual({ pending: 1 });
    status = 200;
    await again();
    await drain(subscription.id);
    await again();
    await drain(subscription.id);
    const [done] = await deliveriesOf(subscription.id);
    expect(done).toMatchObject({ status: 'delivered', replayCount: 3, attemptCount: 4 });
    expect(done?.attempts.map((attempt) => attempt.trigger)).toEqual(['first', 'replay', 'replay', 'replay']);
    expect(new Set(target.eventIds())).toEqual(new Set(eventIds));
    expect((done?.expiresAt.getTime() ?? 0) - Date.now()).toBeGreaterThan(86_000_000);
  });

  it('of a paused subscription waits with the rest, and what is under way is left alone', async () => {
    const { subscription, set, counts } = await makeQueue({}, 2);
    const [claimed] = await claimDue(subscription.id, 1);
    const ids = (await deliveriesOf(subscription.id)).map((row) => row.id);
    await set({ status: 'paused' });
    const taken = await db.$transaction((tx) => requeue(tx, ids));
    expect(taken).toEqual(ids.filter((id) => id !== claimed?.deliveryId));
    expect(await counts()).toEqual({ 'held paused': 1, pending: 1 });
  });
});

describe('what is sent and what is kept', () => {
  it.each([
    ['bearer_token', { token: 'sesame' }, 'authorization', 'Bearer sesame', 'Bearer [redacted]'],
    [
      'basic_auth',
      { username: 'ada', password: 'sesame' },
      'authorization',
      'Basic YWRhOnNlc2FtZQ==',
      'Basic [redacted]',
    ],
    ['custom_header', { headerName: 'X-Api-Key', headerValue: 'sesame' }, 'x-api-key', 'sesame', '[redacted]'],
  ] as const)(
    '%s goes over the wire beside both signatures of a rotation, and is not kept',
    async (authMode, secret, name, sent, kept) => {
      const previous = mintSigningSecret();
      const { subscription, target, attempts } = await makeQueue(
        {
          authMode,
          authSecretEncrypted: encryptSecret(JSON.stringify(secret)),
          previousSecretEncrypted: encryptSecret(previous),
          previousSecretUntil: new Date(Date.now() + 60_000),
        },
        1,
        // A receiver that tells everyone what it was sent.
        (request, response) => {
          const heard = JSON.stringify(request.headers);
          response.writeHead(302, { location: `http://127.0.0.1/?${encodeURI(heard)}`, 'x-heard': heard }).end(heard);
        },
      );
      await drain(subscription.id);
      const [request] = target.received;
      expect(request?.headers[name]).toBe(sent);
      expect(request?.headers['x-webhook-signature']).toBe(hmac(subscription.signingSecret, request?.body ?? ''));
      expect(String(request?.headers['webhook-signature']).split(' ')).toHaveLength(2);
      const [attempt] = await attempts();
      expect(attempt?.requestHeaders).toMatchObject({ [name]: kept });
      expect(attempt?.responseBody).toContain(`"${name}":"${kept}"`);
      expect(JSON.stringify(attempt)).not.toContain('sesame');
      expect(JSON.stringify(attempt)).not.toContain('YWRhOnNlc2FtZQ');
    },
  );

  it('after the overlap of a rotation only the current secret signs', async () => {
    const { subscription, target } = await makeQueue(
      { previousSecretEncrypted: encryptSecret(mintSigningSecret()), previousSecretUntil: past() },
      1,
    );
    await drain(subscription.id);
    expect(String(target.received[0]?.headers['webhook-signature']).split(' ')).toHaveLength(1);
  });

  it('exactly the stored bytes are sent again, whatever became of the event; only signature and attempt fields differ', async () => {
    let status = 500;
    const { subscription, target, eventIds, attempts } = await makeQueue({}, 1, (_request, response) => {
      response.writeHead(status, { 'x-trace': 'abc' }).end('sorry');
    });
    await drain(subscription.id);
    await db.domainEvent.update({
      where: { id: eventIds[0] },
      data: { payload: { changed: true }, metadata: {}, version: 7 },
    });
    await db.webhookDelivery.updateMany({
      where: { subscriptionId: subscription.id },
      data: { nextAttemptAt: past() },
    });
    status = 200;
    await drain(subscription.id);
    const bodies = target.received.map((request) => request.body);
    const kept = await attempts();
    expect(kept.map((attempt) => attempt.requestBody)).toEqual(bodies);
    const [first, second] = bodies.map((body) => {
      const { id, webhook, signature, ...rest } = JSON.parse(body);
      return { rest: JSON.stringify(rest), attempt: webhook.attempt };
    });
    expect(second?.rest).toBe(first?.rest);
    expect([first?.attempt, second?.attempt]).toEqual([1, 2]);
    expect(kept).toMatchObject([
      {
        number: 1,
        trigger: 'first',
        outcome: 'failed',
        responseStatus: 500,
        responseBody: 'sorry',
        responseHeaders: expect.objectContaining({ 'x-trace': 'abc' }),
        peerAddress: '127.0.0.1',
        errorClass: 'http_5xx',
        nextAttemptAt: expect.any(Date),
        timings: { dnsMs: null, connectMs: expect.any(Number), tlsMs: null, totalMs: expect.any(Number) },
      },
      { number: 2, trigger: 'retry', outcome: 'succeeded', errorClass: null, nextAttemptAt: null },
    ]);
  });

  it('a thousand failures at once do not come back at once', async () => {
    const settings = { enableCircuitBreaker: false, retryBaseDelayMs: 60_000 };
    const { subscription } = await makeQueue(settings, 1000, (_request, response) => response.writeHead(500).end());
    while ((await drain(subscription.id))?.inMs === 0);
    const rows = await deliveriesOf(subscription.id);
    const delays = rows.map((row) => (row.nextAttemptAt?.getTime() ?? 0) - row.updatedAt.getTime());
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(53_900);
    expect(Math.max(...delays)).toBeLessThanOrEqual(66_100);
    const seconds = new Set(delays.map((delay) => Math.floor(delay / 1000)));
    expect(seconds.size).toBeGreaterThan(9);
  });
});

describe('a claim', () => {
  it('that ran out is fenced: the late worker changes neither delivery nor breaker', async () => {
    const { subscription, row } = await makeQueue({ circuitBreakerThreshold: 1 }, 1);
    const [late] = await claimDue(subscription.id, 10);
    if (!late) throw new Error('nothing claimed');
    await db.webhookDelivery.update({
      where: { id: late.deliveryId },
      data: { claimedUntil: past(), nextAttemptAt: past() },
    });
    const [next] = await claimDue(subscription.id, 10);
    if (!next) throw new Error('nothing claimed again');
    const result = await post(webhookAgent(), next);
    await completeAttempts(subscription.id, [{ attempt: next, result }]);
    const bad = { ...result, succeeded: false, status: 410, errorClass: 'http_4xx' as const };
    await completeAttempts(subscription.id, [{ attempt: late, result: bad }]);
    expect(await row()).toMatchObject({ status: 'active', breakerState: 'closed', consecutiveFailures: 0 });
    const [delivery] = await deliveriesOf(subscription.id);
    expect(delivery).toMatchObject({ status: 'delivered', attemptCount: 2 });
    expect(delivery?.attempts.map((attempt) => attempt.outcome)).toEqual(['unknown', 'succeeded']);
  });

  it('is given back where something stops the queue, as if it had not been made', async () => {
    const { subscription, set, counts, target } = await makeQueue({ timeoutMs: 30_000 }, 60, (_request, response) => {
      setTimeout(() => response.writeHead(503, { 'retry-after': '600' }).end(), 30);
    });
    await drain(subscription.id);
    const rows = await deliveriesOf(subscription.id);
    expect(rows.filter((row) => row.attemptCount > 0)).toHaveLength(target.received.length);
    expect(rows.flatMap((row) => row.attempts)).toHaveLength(target.received.length);
    expect(rows.every((row) => row.claimId === null)).toBe(true);
    await set({ holdUntil: null });
    expect(await counts()).toEqual({ pending: 60 });
  });
});

describe('filters', () => {
  const about = { tournamentId: 'trn_01k9x2m4c8r5t7v9w0y1z2a3b4', userId: 'usr_01k9x1k3b7q4s6t8v9w0x1y2z3' };
  it.each([
    ['none', null, 5],
    ['an empty set', {}, 5],
    ['its tournament', { tournamentIds: [about.tournamentId] }, 5],
    ['another tournament', { tournamentIds: ['trn_other'] }, 0],
    ['its user', { userIds: [about.userId] }, 5],
    ['another user', { userIds: ['usr_other'] }, 0],
    ['its kind', { aggregateTypes: ['participant', 'match'] }, 5],
    ['another kind', { aggregateTypes: ['match'] }, 0],
    [
      'a condition that one event meets',
      { conditions: [{ field: 'payload.name', operator: 'eq', value: 'Player 3' }] },
      1,
    ],
    [
      'conditions that must all hold',
      {
        aggregateTypes: ['participant'],
        conditions: [
          { field: 'payload.name', operator: 'in', value: ['Player 2', 'Player 3', 'Player 9'] },
          { field: 'payload.name', operator: 'ne', value: 'Player 3' },
          { field: 'payload.seed', operator: 'exists', value: true },
        ],
      },
      1,
    ],
  ])('%s', async (_name, filters, wanted) => {
    const { subscription, target, counts } = await makeQueue({ filters: filters ?? undefined }, 5);
    await drain(subscription.id);
    expect(target.received).toHaveLength(wanted);
    expect(await counts()).toEqual(wanted > 0 ? { delivered: wanted } : {});
  });
});

describe('a hung receiver', () => {
  it('slows nobody: the others are through while it hangs', async () => {
    const stuck = await makeQueue({ timeoutMs: 60_000 }, 40, () => undefined);
    const hanging = drain(stuck.subscription.id);
    const others = await Promise.all(Array.from({ length: 5 }, () => makeQueue({}, 20)));
    await Promise.all(others.map(({ subscription }) => drain(subscription.id)));
    for (const { counts } of others) expect(await counts()).toEqual({ delivered: 20 });
    expect(await Promise.race([hanging.then(() => 'ended'), pause(0, 'hangs')])).toBe('hangs');
    expect(stuck.target.received.length).toBeLessThanOrEqual(10);
    await stuck.target.close();
    await hanging;
  });
});
