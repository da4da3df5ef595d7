import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { db } from '@/server/db';
import { queueOwnerEmails } from '@/server/delivery/owner-emails';
import { type Background, startBackground } from '@/test/background';
import { deliveriesOf } from '@/test/deliveries';
import { emitEvents, makeMember } from '@/test/factories';
import { until } from '@/test/receiver';
import { setupTestServer } from '@/test/server';
import { makeWebhook, subscriptionPath } from '@/test/webhooks';

const server = setupTestServer();
let background: Background;

beforeAll(async () => {
  background = await startBackground();
});
afterAll(async () => {
  await background.stop();
});

describe('pausing', () => {
  it('holds waiting and new deliveries; resuming sends each once, in order', async () => {
    const { project, subscription, target, post, all } = await makeWebhook(server);
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

  it('holds deliveries that fail in the meantime; those older than a day expire, and a replay sends them', async () => {
    const { project, subscription, target, post, all, statuses } = await makeWebhook(server);
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

  it('is not possible for a disabled subscription; resuming it resets its failures', async () => {
    const { subscription, post } = await makeWebhook(server);
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

it('resetting the breaker sends the held deliveries', async () => {
  const { project, subscription, target, post, all } = await makeWebhook(server);
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

describe('a test send', () => {
  it('arrives at once, whatever the event types of the subscription, and can be read', async () => {
    const { subscription, owner, target, post } = await makeWebhook(server, { events: ['match.started'] });
    const sent = await post<{ deliveryId: string; eventId: string }>('/test');
    expect(sent.status).toBe(202);
    const watch = async () => {
      const url = subscriptionPath(subscription.id, `/deliveries/${sent.body.deliveryId}`);
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

  it('is rejected while paused, and after twenty in a minute', async () => {
    const { post } = await makeWebhook(server, { status: 'paused' });
    const first = await post('/test');
    expect([first.status, first.reason]).toEqual([409, 'INVALID_STATE']);
    let last = first;
    for (let sent = 0; sent < 20; sent += 1) last = await post('/test');
    expect([last.status, last.reason]).toEqual([429, 'TOO_MANY_ATTEMPTS']);
    expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});

it('pausing and resuming in a loop is rejected after twenty in a minute', async () => {
  const { post } = await makeWebhook(server, {});
  for (let round = 0; round < 10; round += 1) {
    expect([(await post('/pause')).status, (await post('/resume')).status]).toEqual([200, 200]);
  }
  const last = await post('/circuit-breaker/reset');
  expect([last.status, last.reason]).toEqual([429, 'TOO_MANY_ATTEMPTS']);
  expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0);
});

it('so is changing the URL in a loop, which closes the breaker each time', async () => {
  const { post, owner, subscription, target } = await makeWebhook(server, {});
  const path = subscriptionPath(subscription.id);
  const change = (body: object) => server.patch(path, { bearer: owner.bearer, body });
  for (let round = 0; round < 20; round += 1) {
    expect((await change({ url: `${target.url}?${round}` })).status).toBe(200);
  }
  const [same, last, reset] = [
    await change({ description: 'Scores' }),
    await change({ url: target.url }),
    await post('/circuit-breaker/reset'),
  ];
  expect([same.status, last.status, last.reason, reset.status]).toEqual([200, 429, 'TOO_MANY_ATTEMPTS', 429]);
});

it('a 410 disables the subscription, and owners and admins are emailed once', async () => {
  const { project, owner, subscription } = await makeWebhook(server, {}, (_request, response) =>
    response.writeHead(410).end(),
  );
  const admin = await makeMember(project.id, 'ADMIN');
  const organizer = await makeMember(project.id, 'ORGANIZER');
  await emitEvents(project.id, 1);
  const read = async () => (await server.get(subscriptionPath(subscription.id), { bearer: owner.bearer })).body;
  await until(async () => (await read()).status === 'disabled');
  expect(await read()).toMatchObject({ disabledReason: 'gone_410', disabledAt: expect.any(String) });
  await Promise.all([queueOwnerEmails(500), queueOwnerEmails(500)]);
  const recipient = { in: [owner, admin, organizer].map(({ email }) => email) };
  const mails = () =>
    db.outgoingMail.findMany({ where: { kind: 'webhook_disabled', recipient }, orderBy: { recipient: 'asc' } });
  expect((await mails()).map((mail) => mail.recipient)).toEqual([owner.email, admin.email].sort());
});
