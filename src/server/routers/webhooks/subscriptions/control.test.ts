import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { db } from '@/server/db';
import { inngest } from '@/server/jobs/client';
import { webhookSubscriptionDisabled } from '@/server/jobs/events';
import { type Background, startBackground } from '@/test/background';
import { deliveriesOf, makeDeliveries } from '@/test/deliveries';
import { emitEvents, makeMember, makeProject, makeSubscription } from '@/test/factories';
import { openReceiver } from '@/test/queue';
import { type Answer, until } from '@/test/receiver';
import { setupTestServer } from '@/test/server';

// Hundreds of requests, and a background that works, take their time on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const server = setupTestServer();
let background: Background;

beforeAll(async () => {
  background = await startBackground();
});
afterAll(async () => {
  await background.stop();
});

const path = (id: string, rest = '') => `/webhooks/subscriptions/${id}${rest}`;
const failing: Answer = (_request, response) => response.writeHead(500).end();

async function setUp(data: object = {}, answer?: Answer) {
  const { project, owner } = await makeProject();
  const target = await openReceiver((request, response) => (current ? current(request, response) : response.end('ok')));
  let current = answer;
  const subscription = await makeSubscription(project.id, { url: target.url, ...data });
  const post = <T = Record<string, unknown>>(rest: string, body?: object) =>
    server.post<T>(path(subscription.id, rest), { bearer: owner.bearer, body });
  const statuses = async () => (await deliveriesOf(subscription.id)).map((row) => row.status);
  const all = (status: string, count: number) => async () => {
    const found = await statuses();
    return found.length === count && found.every((each) => each === status);
  };
  return {
    project,
    owner,
    target,
    subscription,
    post,
    statuses,
    all,
    answerWith: (next: Answer | undefined) => {
      current = next;
    },
  };
}

describe('pausing', () => {
  it('holds what comes and what waits; resuming sends all of it, once, in order', async () => {
    const { project, subscription, target, post, all } = await setUp();
    const paused = await post('/pause');
    expect(paused.body).toMatchObject({ status: 'paused', pausedAt: expect.any(String), version: 2 });
    expect((await post('/pause')).body).toMatchObject({ status: 'paused', version: 2 });
    const ids = await emitEvents(project.id, 3);
    await until(all('held', 3));
    expect((await deliveriesOf(subscription.id)).map((row) => row.heldReason)).toEqual(Array(3).fill('paused'));
    expect(target.received).toEqual([]);
    const resumed = await post('/resume');
    expect(resumed.body).toMatchObject({ status: 'active', pausedAt: null, version: 3 });
    await until(all('delivered', 3));
    expect(target.eventIds().sort()).toEqual([...ids].sort());
    const actions = await db.auditEntry.findMany({
      where: { targetId: subscription.id },
      orderBy: { createdAt: 'asc' },
    });
    expect(actions.map((entry) => entry.action)).toEqual(['webhook.pause', 'webhook.resume']);
  });

  it('keeps what fails meanwhile; what is older than a day expires, and a replay still sends it', async () => {
    const { project, subscription, target, post, all, statuses } = await setUp();
    await post('/pause');
    await emitEvents(project.id, 2);
    await until(all('held', 2));
    const [first] = await deliveriesOf(subscription.id);
    const past = new Date(Date.now() - 1_000);
    await db.webhookDelivery.update({ where: { id: first?.id }, data: { expiresAt: past } });
    await post('/resume');
    await until(async () => !(await statuses()).some((status) => ['held', 'pending'].includes(status)));
    expect(await statuses()).toEqual(['expired', 'delivered']);
    const again = await post(`/deliveries/${first?.id}/replay`);
    expect([again.status, again.body]).toMatchObject([202, { id: first?.id, status: 'pending', replayCount: 1 }]);
    await until(all('delivered', 2));
    expect(target.received).toHaveLength(2);
  });

  it('of a disabled one is not possible; resuming it starts afresh', async () => {
    const { subscription, post } = await setUp();
    await db.webhookSubscription.update({
      where: { id: subscription.id },
      data: {
        status: 'disabled',
        disabledAt: new Date(),
        disabledReason: 'only_failures',
        failingSince: new Date(0),
        failureWarnedAt: new Date(0),
        breakerState: 'open',
        breakerOpenedAt: new Date(0),
        breakerRetryAt: new Date(8.64e12),
        consecutiveFailures: 90,
      },
    });
    expect((await post('/pause')).reason).toBe('INVALID_STATE');
    const test = await post('/test');
    expect([test.status, test.reason]).toEqual([409, 'INVALID_STATE']);
    expect((await post('/resume')).body).toMatchObject({
      status: 'active',
      disabledAt: null,
      disabledReason: null,
      failingSince: null,
      breaker: { state: 'closed', consecutiveFailures: 0, openedAt: null, retryAt: null },
    });
    const row = await db.webhookSubscription.findUniqueOrThrow({ where: { id: subscription.id } });
    expect(row.failureWarnedAt).toBeNull();
  });
});

it('resetting the breaker sends what it held', async () => {
  const { project, subscription, target, post, all } = await setUp();
  await db.webhookSubscription.update({
    where: { id: subscription.id },
    data: {
      breakerState: 'open',
      breakerOpenedAt: new Date(),
      breakerRetryAt: new Date(Date.now() + 3_600_000),
      consecutiveFailures: 10,
    },
  });
  await emitEvents(project.id, 3);
  await until(all('held', 3));
  expect((await post('/test')).reason).toBe('INVALID_STATE');
  expect(target.received).toEqual([]);
  const reset = await post('/circuit-breaker/reset');
  expect(reset.body).toMatchObject({
    breaker: { state: 'closed', consecutiveFailures: 0, openedAt: null, retryAt: null },
  });
  await until(all('delivered', 3));
  expect(target.received).toHaveLength(3);
});

describe('rotating the secret', () => {
  it('signs by both during the overlap, so that receivers with either accept; after it by the new one alone', async () => {
    const { project, subscription, target, post, all } = await setUp();
    const before = subscription.signingSecret;
    const rotated = await post<{ signingSecret: string; previousSecretUntil: string }>('/rotate-secret');
    const { signingSecret: after, previousSecretUntil } = rotated.body;
    expect(after).not.toBe(before);
    expect(Math.abs(Date.parse(previousSecretUntil) - Date.now() - 86_400_000)).toBeLessThan(60_000);
    await emitEvents(project.id, 1);
    await until(all('delivered', 1));
    const accepts = (secret: string, index: number) => {
      const request = target.received[index];
      if (!request) throw new Error('nothing arrived');
      try {
        new Webhook(secret).verify(request.body, request.headers as Record<string, string>);
        return true;
      } catch {
        return false;
      }
    };
    expect([accepts(before, 0), accepts(after, 0)]).toEqual([true, true]);
    await db.webhookSubscription.update({
      where: { id: subscription.id },
      data: { previousSecretUntil: new Date(Date.now() - 1) },
    });
    await emitEvents(project.id, 1);
    await until(all('delivered', 2));
    expect([accepts(before, 1), accepts(after, 1)]).toEqual([false, true]);
    const text = JSON.stringify(await db.auditEntry.findMany({ where: { targetId: subscription.id } }));
    expect(text).toContain('webhook.rotate_secret');
    expect(text).not.toContain('whsec_');
  });

  it('takes an overlap from none to seven days, and signing to rotate', async () => {
    const { subscription, post } = await setUp();
    expect((await post('/rotate-secret', { overlapHours: 0 })).body).toMatchObject({ previousSecretUntil: null });
    const row = await db.webhookSubscription.findUniqueOrThrow({ where: { id: subscription.id } });
    expect(row.previousSecretEncrypted).toBeNull();
    expect((await post('/rotate-secret', { overlapHours: 168 })).status).toBe(200);
    for (const overlapHours of [-1, 168.5, 'long']) {
      expect((await post('/rotate-secret', { overlapHours })).status).toBe(400);
    }
    const unsigned = await setUp({ authMode: 'none', signPayload: false, signingSecretEncrypted: null });
    expect((await unsigned.post('/rotate-secret')).reason).toBe('INVALID_STATE');
    expect((await unsigned.post('/reveal-secret')).status).toBe(404);
  });
});

describe('a test send', () => {
  it('arrives at once, whatever the subscription asks for, and can be watched', async () => {
    const { subscription, owner, target, post } = await setUp({ events: ['match.started'] });
    const sent = await post<{ deliveryId: string; eventId: string }>('/test');
    expect(sent.status).toBe(202);
    const watch = async () => {
      const url = path(subscription.id, `/deliveries/${sent.body.deliveryId}`);
      return (await server.get(url, { bearer: owner.bearer })).body;
    };
    await until(async () => (await watch()).status === 'delivered');
    expect(await watch()).toMatchObject({ isTest: true, eventType: 'webhook.test', eventId: sent.body.eventId });
    expect(target.eventIds()).toEqual([sent.body.eventId]);
    expect(JSON.parse(target.received[0]?.body ?? '').data.payload).toEqual({
      subscriptionId: subscription.id,
      message: 'This is a test.',
    });
    await background.idle();
    expect(await deliveriesOf(subscription.id)).toHaveLength(1);
  });

  it('is refused while paused, and more often than twenty times a minute', async () => {
    const { post } = await setUp({ status: 'paused' });
    const first = await post('/test');
    expect([first.status, first.reason]).toEqual([409, 'INVALID_STATE']);
    let last = first;
    for (let sent = 0; sent < 20; sent += 1) last = await post('/test');
    expect([last.status, last.reason]).toEqual([429, 'TOO_MANY_ATTEMPTS']);
    expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});

describe('sending again', () => {
  it('one: the same event with a new attempt, also after success', async () => {
    const { project, subscription, target, post, all } = await setUp();
    const [eventId] = await emitEvents(project.id, 1);
    await until(all('delivered', 1));
    const [delivery] = await deliveriesOf(subscription.id);
    await post(`/deliveries/${delivery?.id}/replay`);
    await until(async () => target.received.length === 2);
    await until(all('delivered', 1));
    const [first, second] = target.received.map((request) => JSON.parse(request.body));
    expect([first.event, first.data]).toEqual([second.event, second.data]);
    expect(first.event.id).toBe(eventId);
    expect(second.webhook).toEqual({ subscriptionId: subscription.id, attempt: 2, isRetry: true });
    expect(second.id).not.toBe(first.id);
    const [row] = await deliveriesOf(subscription.id);
    expect(row).toMatchObject({ replayCount: 1, attemptCount: 2 });
    expect(row?.attempts.map((attempt) => attempt.trigger)).toEqual(['first', 'replay']);
  });

  it('all that failed: with every retry anew, and nothing else', async () => {
    const { project, subscription, target, post, statuses, answerWith } = await setUp({ maxRetries: 0 }, failing);
    await emitEvents(project.id, 3);
    await until(async () => (await statuses()).filter((status) => status === 'failed').length === 3);
    answerWith(undefined);
    const [, , third] = await deliveriesOf(subscription.id);
    await db.webhookDelivery.update({ where: { id: third?.id }, data: { status: 'expired' } });
    const retried = await post('/retry-failed');
    expect([retried.status, retried.body]).toEqual([202, { requeued: 2 }]);
    await until(async () => (await statuses()).filter((status) => status === 'delivered').length === 2);
    expect(await statuses()).toEqual(['delivered', 'delivered', 'expired']);
    expect(target.received).toHaveLength(5);
    expect((await post('/retry-failed')).body).toEqual({ requeued: 0 });
  });

  it('by filter: counted before, done in the background, with progress', async () => {
    const { project, subscription, owner, target, post, statuses } = await setUp();
    const eventIds = await emitEvents(project.id, 12);
    await until(async () => (await statuses()).length === 12);
    await until(async () => target.received.length === 12);
    await until(async () => (await statuses()).every((status) => status === 'delivered'));
    const rows = await deliveriesOf(subscription.id);
    const hour = (index: number) => new Date(Date.parse('2026-11-20T00:00:00Z') + index * 3_600_000);
    for (const [index, { id }] of rows.entries()) {
      const status = index < 4 ? 'failed' : index < 8 ? 'expired' : 'delivered';
      await db.webhookDelivery.update({ where: { id }, data: { status, createdAt: hour(index) } });
    }
    const preview = async (query: string) => {
      const answer = await server.get<{ total: number }>(path(subscription.id, `/replay?${query}`), {
        bearer: owner.bearer,
      });
      return answer.body.total;
    };
    expect(await preview('')).toBe(8);
    expect(await preview('status=delivered')).toBe(4);
    expect(await preview('type=match.started')).toBe(0);
    expect(await preview('type=participant.registered&status=failed')).toBe(4);
    const span = { from: hour(2).toISOString(), to: hour(6).toISOString() };
    expect(await preview(new URLSearchParams(span).toString())).toBe(4);
    const asked = await post<{ id: string }>('/replay', span);
    expect([asked.status, asked.body]).toMatchObject([202, { total: 4 }]);
    const progress = async () => {
      const url = path(subscription.id, `/replays/${asked.body.id}`);
      return (await server.get(url, { bearer: owner.bearer })).body;
    };
    await until(async () => (await progress()).finishedAt !== null);
    expect(await progress()).toMatchObject({ total: 4, done: 4 });
    await until(async () => target.received.length === 16);
    expect(target.eventIds().slice(12).sort()).toEqual(eventIds.slice(2, 6).sort());
    await until(async () => !(await statuses()).includes('pending'));
    const insight = await server.trpc(owner.bearer).webhooks.insight.query({ id: subscription.id });
    expect(insight).toMatchObject({ failed: 2, replay: { id: asked.body.id, done: 4 }, backlog: { pending: 0 } });
    const list = await server.get<{ total: number }>(path(subscription.id, '/replays'), { bearer: owner.bearer });
    expect(list.body.total).toBe(1);
  });

  it('by ids: those of the subscription, at once', async () => {
    const { project, subscription, target, post } = await setUp();
    const eventIds = await emitEvents(project.id, 2);
    await until(async () => target.received.length === 2);
    await background.idle();
    const other = await setUp();
    const foreign = await makeDeliveries({ id: other.subscription.id, projectId: other.project.id }, eventIds);
    const own = (await deliveriesOf(subscription.id)).map(({ id }) => id);
    const asked = await post('/replay', { deliveryIds: [...own.slice(0, 1), ...foreign] });
    expect(asked.body).toMatchObject({ total: 1, done: 1, finishedAt: expect.any(String) });
    await until(async () => target.received.length === 3);
    expect((await post('/replay', { deliveryIds: foreign })).status).toBe(404);
    expect((await post('/replay', { deliveryIds: [] })).status).toBe(400);
    expect((await post('/replay', { from: '2026-11-21T00:00:00Z', to: '2026-11-20T00:00:00Z' })).status).toBe(400);
  });

  it('waits behind a pause', async () => {
    const { project, subscription, post, all, target } = await setUp();
    await emitEvents(project.id, 1);
    await until(all('delivered', 1));
    await post('/pause');
    const [delivery] = await deliveriesOf(subscription.id);
    expect((await post(`/deliveries/${delivery?.id}/replay`)).body).toMatchObject({ status: 'held' });
    await post('/resume');
    await until(all('delivered', 1));
    expect(target.received).toHaveLength(2);
  });
});

it('a receiver that is gone ends its subscription, and owners and admins read why', async () => {
  const { project, owner, subscription } = await setUp({}, (_request, response) => response.writeHead(410).end());
  const admin = await makeMember(project.id, 'ADMIN');
  const organizer = await makeMember(project.id, 'ORGANIZER');
  await emitEvents(project.id, 1);
  const read = async () => (await server.get(path(subscription.id), { bearer: owner.bearer })).body;
  await until(async () => (await read()).status === 'disabled');
  expect(await read()).toMatchObject({ disabledReason: 'gone_410', disabledAt: expect.any(String) });
  const ended = { subscriptionId: subscription.id, reason: 'gone_410' } as const;
  await inngest.send([webhookSubscriptionDisabled.create(ended), webhookSubscriptionDisabled.create(ended)]);
  const recipient = { in: [owner, admin, organizer].map(({ email }) => email) };
  const mails = () =>
    db.outgoingMail.findMany({ where: { kind: 'webhook_disabled', recipient }, orderBy: { recipient: 'asc' } });
  await until(async () => (await mails()).filter((mail) => mail.sentAt).length >= 2);
  await background.idle();
  expect((await mails()).map((mail) => mail.recipient)).toEqual([owner.email, admin.email].sort());
});
