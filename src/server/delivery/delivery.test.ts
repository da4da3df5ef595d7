import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '@/domain/ids';
import { webhookFunctions } from '@/inngest/functions/webhooks';
import { db } from '@/server/db';
import { triggerDelivery } from '@/server/delivery/sending/worker';
import { emit } from '@/server/events/emit';
import { type Background, startBackground } from '@/test/background';
import { deliveriesOf, settled } from '@/test/deliveries';
import { emitEvents, makeProject, makeSubscription, makeTournament, makeUser } from '@/test/factories';
import { openReceiver } from '@/test/queue';
import { type Respond, until } from '@/test/receiver';

let background: Background;

beforeAll(async () => {
  background = await startBackground({ functions: webhookFunctions });
});

afterAll(async () => {
  await background.stop();
});

const respondWith =
  (code: number, headers: Record<string, string> = {}): Respond =>
  (_request, response) =>
    response.writeHead(code, headers).end(`answer ${code}`);

describe('a delivery', () => {
  it('has the documented payload, signed over the raw body and inside it', async () => {
    const { project } = await makeProject();
    const target = await openReceiver();
    const subscription = await makeSubscription(project.id, { url: target.url });
    const [eventId] = await emitEvents(project.id, 1);
    await until(settled(subscription.id, 1));

    const [request] = target.received;
    if (!request) throw new Error('Nothing was received');
    const payload = JSON.parse(request.body);
    const { signature, ...unsigned } = payload;
    const hmac = (text: string) => createHmac('sha256', subscription.signingSecret).update(text).digest('hex');
    expect(signature).toBe(hmac(JSON.stringify(unsigned)));
    expect(request.headers['x-webhook-signature']).toBe(hmac(request.body));
    expect(request.headers['x-webhook-id']).toBe(payload.id);
    expect(request.headers['x-webhook-event']).toBe('participant.registered');
    expect(Math.abs(Number(request.headers['x-webhook-timestamp']) * 1000 - request.at)).toBeLessThan(60_000);
    expect(request.headers['accept-encoding']).toBe('identity');
    expect(request.headers['content-type']).toBe('application/json');
    const verifier = new Webhook(subscription.signingSecret);
    expect(verifier.verify(request.body, request.headers as Record<string, string>)).toEqual(payload);

    const event = await db.domainEvent.findUniqueOrThrow({ where: { id: eventId } });
    expect(unsigned).toEqual({
      id: expect.stringMatching(/^wha_/),
      event: { id: eventId, type: event.type, timestamp: event.occurredAt.toISOString(), version: 1 },
      data: {
        aggregateId: event.aggregateId,
        aggregateType: 'participant',
        payload: event.payload,
        metadata: { actor: { type: 'system', id: null }, requestId: null },
      },
      webhook: { subscriptionId: subscription.id, attempt: 1, isRetry: false },
    });

    const [delivery] = await deliveriesOf(subscription.id);
    expect(delivery).toMatchObject({ status: 'delivered', attemptCount: 1, nextAttemptAt: null, claimId: null });
    expect(delivery?.expiresAt.getTime()).toBe(event.occurredAt.getTime() + 86_400_000);
    expect(delivery?.attempts).toMatchObject([
      {
        id: payload.id,
        number: 1,
        outcome: 'succeeded',
        requestBody: request.body,
        responseStatus: 200,
        responseBody: 'ok',
        peerAddress: '127.0.0.1',
        errorClass: null,
      },
    ]);
  });

  it('has no signature anywhere when signing is off', async () => {
    const { project } = await makeProject();
    const target = await openReceiver();
    const subscription = await makeSubscription(project.id, {
      url: target.url,
      authMode: 'none',
      signPayload: false,
      signingSecretEncrypted: null,
    });
    await emitEvents(project.id, 1);
    await until(settled(subscription.id, 1));
    const [request] = target.received;
    expect(Object.keys(request?.headers ?? {}).filter((name) => name.includes('signature'))).toEqual([]);
    expect(JSON.parse(request?.body ?? '{}')).not.toHaveProperty('signature');
  });

  it('goes once to each matching subscription of its own project', async () => {
    const { project } = await makeProject();
    const { project: other } = await makeProject();
    const target = await openReceiver();
    const matching = ['*', 'participant.*', 'participant.registered'];
    const made = await Promise.all(
      [...matching, 'tournament.*', 'participant.approved'].map((pattern) =>
        makeSubscription(project.id, { url: target.url, events: [pattern, pattern] }),
      ),
    );
    const foreign = await makeSubscription(other.id, { url: target.url });
    const paused = await makeSubscription(project.id, { url: target.url, status: 'paused' });
    await emitEvents(project.id, 3);
    for (const subscription of made.slice(0, 3)) await until(settled(subscription.id, 3));
    await background.idle();
    const counts = await Promise.all([...made, foreign, paused].map(async ({ id }) => (await deliveriesOf(id)).length));
    expect(counts).toEqual([3, 3, 3, 0, 0, 0, 3]);
    expect((await deliveriesOf(paused.id)).map((row) => [row.status, row.heldReason])).toEqual(
      Array(3).fill(['held', 'paused']),
    );
    expect(target.received).toHaveLength(9);
  });

  it('about a user goes to the projects of the user and to those of instance admins', async () => {
    const { project, owner } = await makeProject();
    const { project: stranger } = await makeProject();
    const { project: operators, owner: admin } = await makeProject();
    await db.user.update({ where: { id: admin.id }, data: { instanceAdmin: true } });
    const target = await openReceiver();
    const own = await makeSubscription(project.id, { url: target.url, createdById: owner.id });
    const none = await makeSubscription(stranger.id, { url: target.url });
    const all = await makeSubscription(operators.id, { url: target.url, createdById: admin.id });
    // Who plays in a project's tournament is theirs, and whom it has only named is not.
    const [playing, named] = await Promise.all(
      [new Date(), null].map(async (acceptedAt) => {
        const { project: host } = await makeProject();
        const { id: tournamentId } = await makeTournament(host.id);
        await db.participant.create({
          data: {
            ...{ id: newId('prt'), tournamentId, userId: owner.id, name: 'Owner', acceptedAt },
            ...{ registeredAt: new Date(), registrationStatus: 'approved' },
          },
        });
        return makeSubscription(host.id, { url: target.url });
      }),
    );
    const someone = await makeUser();
    const origin = { actor: { type: 'system', id: null }, requestId: null } as const;
    await db.$transaction((tx) =>
      emit(
        tx,
        origin,
        {
          projectId: null,
          type: 'user.created',
          aggregateId: someone.id,
          payload: { userId: someone.id, name: 'New' },
        },
        { projectId: null, type: 'user.verified', aggregateId: owner.id, payload: { userId: owner.id, name: 'Owner' } },
      ),
    );
    await until(settled(all.id, 2));
    for (const one of [own, playing]) {
      await until(settled(one?.id ?? '', 1));
      expect((await deliveriesOf(one?.id ?? ''))[0]?.eventType).toBe('user.verified');
    }
    for (const one of [none, named]) expect(await deliveriesOf(one?.id ?? '')).toEqual([]);
  });
});

describe('retries', () => {
  it('come after the configured delay with a new attempt id, and stop at the first success', async () => {
    const { project } = await makeProject();
    const target = await openReceiver((request, response) => {
      response.writeHead(JSON.parse(request.body).webhook.attempt < 3 ? 500 : 204).end();
    });
    const subscription = await makeSubscription(project.id, {
      url: target.url,
      retryBaseDelayMs: 1000,
      retryBackoffMultiplier: 2,
    });
    const [eventId] = await emitEvents(project.id, 1);
    await until(settled(subscription.id, 1));
    const bodies = target.received.map((request) => JSON.parse(request.body));
    expect(bodies.map((body) => body.webhook)).toEqual(
      [1, 2, 3].map((attempt) => ({ subscriptionId: subscription.id, attempt, isRetry: attempt > 1 })),
    );
    expect(new Set(bodies.map((body) => body.id)).size).toBe(3);
    expect(new Set(bodies.map((body) => body.event.id))).toEqual(new Set([eventId]));
    expect(new Set(target.received.map((request) => request.headers['webhook-id'])).size).toBe(1);
    const [first, second, third] = target.received.map((request) => request.at);
    const gaps = [(second ?? 0) - (first ?? 0), (third ?? 0) - (second ?? 0)];
    expect(gaps[0]).toBeGreaterThan(890);
    expect(gaps[1]).toBeGreaterThan(1790);
    const [delivery] = await deliveriesOf(subscription.id);
    expect(delivery).toMatchObject({ status: 'delivered', attemptCount: 3 });
    expect(delivery?.attempts.map((attempt) => attempt.errorClass)).toEqual(['http_5xx', 'http_5xx', null]);
  });

  it('end with the status failed when they are used up', async () => {
    const { project } = await makeProject();
    const target = await openReceiver(respondWith(404));
    const once = await makeSubscription(project.id, { url: target.url, maxRetries: 0 });
    await emitEvents(project.id, 1);
    await until(settled(once.id, 1));
    expect((await deliveriesOf(once.id))[0]).toMatchObject({ status: 'failed', attemptCount: 1, nextAttemptAt: null });
  });

  it('wait as long as Retry-After asks, and expire when that is too long', async () => {
    const { project } = await makeProject();
    const target = await openReceiver(respondWith(429, { 'retry-after': '3600' }));
    const endless = await openReceiver(respondWith(503, { 'retry-after': '99999999' }));
    const patient = await makeSubscription(project.id, { url: target.url, retryBaseDelayMs: 1000 });
    const late = await makeSubscription(project.id, { url: endless.url });
    await emitEvents(project.id, 1);
    await until(async () => (await deliveriesOf(patient.id))[0]?.attempts[0]?.outcome === 'failed');
    await until(settled(late.id, 1));
    const [delivery] = await deliveriesOf(patient.id);
    const wait = (delivery?.nextAttemptAt?.getTime() ?? 0) - Date.now();
    expect(wait).toBeGreaterThan(3_540_000);
    expect(wait).toBeLessThan(3_601_000);
    expect((await deliveriesOf(late.id))[0]).toMatchObject({ status: 'expired', attemptCount: 1 });
  });

  it('never start after 24 hours', async () => {
    const { project } = await makeProject();
    const target = await openReceiver(respondWith(500));
    const subscription = await makeSubscription(project.id, { url: target.url, retryBaseDelayMs: 60_000 });
    await emitEvents(project.id, 1);
    await until(async () => (await deliveriesOf(subscription.id))[0]?.attempts[0]?.outcome === 'failed');
    const past = new Date(Date.now() - 1);
    await db.webhookDelivery.updateMany({
      where: { subscriptionId: subscription.id },
      data: { expiresAt: past, nextAttemptAt: past },
    });
    await triggerDelivery([subscription.id]);
    await until(settled(subscription.id, 1));
    expect((await deliveriesOf(subscription.id))[0]?.status).toBe('expired');
    expect(target.received).toHaveLength(1);
  });
});

describe('failures', () => {
  async function attemptAt(url: string, timeoutMs = 10_000) {
    const { project } = await makeProject();
    const subscription = await makeSubscription(project.id, { url, timeoutMs, maxRetries: 0 });
    await emitEvents(project.id, 1);
    await until(settled(subscription.id, 1));
    const attempt = (await deliveriesOf(subscription.id))[0]?.attempts[0];
    if (!attempt) throw new Error('no attempt');
    return attempt;
  }

  it('name a redirect, which is not followed', async () => {
    const elsewhere = await openReceiver();
    const target = await openReceiver(respondWith(302, { location: elsewhere.url }));
    const attempt = await attemptAt(target.url);
    expect(attempt).toMatchObject({ errorClass: 'http_3xx', responseStatus: 302 });
    expect(attempt.errorMessage).toContain(elsewhere.url);
    expect(elsewhere.received).toEqual([]);
  });

  it('name a refused connection, an unknown host and a blocked address', async () => {
    const gone = await openReceiver();
    await gone.close();
    expect(await attemptAt(gone.url)).toMatchObject({ errorClass: 'connect_refused', responseStatus: null });
    expect(await attemptAt('https://no-such-host.invalid/')).toMatchObject({ errorClass: 'dns_error' });
    expect(await attemptAt('http://10.0.0.1/')).toMatchObject({ errorClass: 'blocked_address' });
  });

  it('name a TLS error and a lost connection', async () => {
    const plain = await openReceiver();
    expect(await attemptAt(plain.url.replace('http:', 'https:'))).toMatchObject({ errorClass: 'tls_error' });
    const rude = await openReceiver((_request, response) => response.socket?.destroy());
    expect(await attemptAt(rude.url)).toMatchObject({ errorClass: 'reset' });
  });

  it('include a response that does not come, or does not end, within the time limit', async () => {
    const silent = await openReceiver(() => undefined);
    expect(await attemptAt(silent.url, 1000)).toMatchObject({ errorClass: 'timeout', responseStatus: null });
    const dripping = await openReceiver((_request, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('.'), 100);
      response.on('close', () => clearInterval(timer));
    });
    const attempt = await attemptAt(dripping.url, 1000);
    expect(attempt).toMatchObject({ errorClass: 'timeout', responseStatus: 200, outcome: 'failed' });
  });

  it('do not include an endless response: its start is stored and flagged, and its status decides', async () => {
    const target = await openReceiver((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(4096, 120)));
      };
      response.on('drain', more);
      more();
    });
    const attempt = await attemptAt(target.url);
    expect(attempt).toMatchObject({ outcome: 'succeeded', responseTruncated: true, responseStatus: 200 });
    expect(attempt.responseBody).toHaveLength(16_384);
  });

  it('of one receiver do not delay another one', async () => {
    const { project } = await makeProject();
    const hanging = await openReceiver(() => undefined);
    const prompt = await openReceiver();
    const stuck = await makeSubscription(project.id, { url: hanging.url, timeoutMs: 120_000, maxRetries: 0 });
    const subscription = await makeSubscription(project.id, { url: prompt.url });
    await emitEvents(project.id, 30);
    await until(settled(subscription.id, 30));
    const waiting = { subscriptionId: stuck.id, status: 'pending' } as const;
    await until(async () => (await db.webhookDelivery.count({ where: waiting })) === 30);
    expect(new Set(prompt.eventIds()).size).toBe(30);
  });

  it('of a hundred receivers that hang leave slots for one that works', async () => {
    const { project: unlucky } = await makeProject();
    const { project: lucky } = await makeProject();
    const hanging = await openReceiver(() => undefined);
    const prompt = await openReceiver();
    // Longer than `until` waits: no slot becomes free by a timeout.
    const known = { timeoutMs: 120_000, enableCircuitBreaker: false, consecutiveFailures: 3 };
    for (let count = 0; count < 100; count += 1) await makeSubscription(unlucky.id, { url: hanging.url, ...known });
    const subscription = await makeSubscription(lucky.id, { url: prompt.url });
    await emitEvents(unlucky.id, 1);
    await until(() => hanging.received.length >= 40);
    await emitEvents(lucky.id, 30);
    await until(settled(subscription.id, 30));
    const ended = { subscription: { projectId: unlucky.id }, status: { not: 'pending' as const } };
    expect(await db.webhookDelivery.count({ where: ended })).toBe(0);
    expect(hanging.received.length).toBeLessThan(100);
    await db.webhookSubscription.deleteMany({ where: { projectId: unlucky.id } });
  });
});
