import { afterEach, expect, it } from 'vitest';
import { env } from '@/env';
import { db } from '@/server/db';
import { deliveriesOf } from '@/test/deliveries';
import { emitEvents } from '@/test/factories';
import { holdLock } from '@/test/locks';
import { fanOut } from '@/test/queue';
import { setupTestServer } from '@/test/server';
import { watchStatements } from '@/test/statements';
import { makeWebhook } from '@/test/webhooks';

const server = setupTestServer();
const defaults = { ...env };
afterEach(() => void Object.assign(env, defaults));

it('a project sends as many deliveries again in a day as allowed, in whatever way', async () => {
  env.WEBHOOK_REPLAYS_PER_PROJECT_PER_DAY = 9;
  const { project, subscription, post } = await makeWebhook(server);
  await fanOut(await emitEvents(project.id, 4));
  const where = { subscriptionId: subscription.id };
  const fail = () => db.webhookDelivery.updateMany({ where, data: { status: 'failed', nextAttemptAt: null } });
  await fail();
  const [one] = await deliveriesOf(subscription.id);
  expect((await post('/retry-failed')).body).toEqual({ requeued: 4 });
  await fail();
  expect((await post('/replay', { status: 'failed' })).body).toMatchObject({ total: 4 });
  await fail();
  expect((await post(`/deliveries/${one?.id}/replay`)).status).toBe(202);
  await fail();
  for (const [path, body] of [
    ['/retry-failed', {}],
    [`/deliveries/${one?.id}/replay`, {}],
    ['/replay', { deliveryIds: [one?.id] }],
  ] as const) {
    const refused = await post(path, body);
    expect([path, refused.status, refused.reason]).toEqual([path, 429, 'QUOTA_EXCEEDED']);
  }
  expect(await db.webhookDelivery.count({ where: { ...where, status: 'failed' } })).toBe(4);
});

it('failed deliveries that may not be sent again are not changed and rolled back', async () => {
  env.WEBHOOK_REPLAYS_PER_PROJECT_PER_DAY = 1;
  const { project, subscription, post } = await makeWebhook(server);
  await fanOut(await emitEvents(project.id, 2));
  const where = { subscriptionId: subscription.id };
  await db.webhookDelivery.updateMany({ where, data: { status: 'failed', nextAttemptAt: null } });
  // Whoever changes them waits.
  await holdLock('SELECT FROM webhook_delivery WHERE "subscriptionId" = $1 FOR UPDATE', [subscription.id]);
  expect((await post('/retry-failed')).status).toBe(429);
});

it('very many failed deliveries are sent again in the background, and hold no connection meanwhile', async () => {
  const { project, subscription, post } = await makeWebhook(server);
  await db.$executeRaw`
    INSERT INTO webhook_delivery (id, "subscriptionId", "projectId", "eventId", "eventType", status, "expiresAt", "completedAt", "updatedAt")
    SELECT 'whd_many' || n, ${subscription.id}, ${project.id}, 'evt_many' || n, 'participant.registered', 'failed', now(), now(), now()
    FROM generate_series(1, 1001) n`;
  // Whoever changes them waits.
  await holdLock('SELECT FROM webhook_delivery WHERE "subscriptionId" = $1 FOR UPDATE', [subscription.id]);
  expect((await post('/retry-failed')).body).toEqual({ requeued: 1_001 });
  const where = { subscriptionId: subscription.id };
  expect(await db.webhookReplay.findFirst({ where })).toMatchObject({ total: 1_001, filter: { statuses: ['failed'] } });
  expect((await post('/retry-failed')).reason).toBe('CONFLICT');
});

it('what is refused anyway is not counted', async () => {
  env.WEBHOOK_REPLAYS_PER_PROJECT_PER_DAY = 2;
  const { project, subscription, post } = await makeWebhook(server, { status: 'paused' });
  await fanOut(await emitEvents(project.id, 6));
  const where = { subscriptionId: subscription.id };
  await db.webhookDelivery.updateMany({ where, data: { status: 'failed', heldReason: null, nextAttemptAt: null } });
  /** How far each count of a refused request goes. */
  const counted = async (rest: string, reason: string) => {
    const sent = await watchStatements(async () => expect((await post(rest)).reason).toBe(reason));
    return sent
      .filter(({ text }) => /count\(\*\).*FROM webhook_delivery/s.test(text))
      .map(({ values }) => values.at(-1));
  };
  expect(await counted('/replay', 'QUOTA_EXCEEDED')).toEqual([3]);
  expect(await counted('/retry-failed', 'QUOTA_EXCEEDED')).toEqual([3]);
  const some = await db.webhookDelivery.findMany({ where, take: 2, select: { id: true } });
  await post('/replay', { deliveryIds: some.map(({ id }) => id) });
  expect(await counted('/replay', 'QUOTA_EXCEEDED')).toEqual([1]);
  expect(await counted('/retry-failed', 'QUOTA_EXCEEDED')).toEqual([1]);
  await db.webhookReplay.updateMany({ where, data: { finishedAt: null } });
  expect(await counted('/replay', 'CONFLICT')).toEqual([]);
});
