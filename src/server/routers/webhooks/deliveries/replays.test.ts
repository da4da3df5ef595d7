import { expect, it } from 'vitest';
import { db } from '@/server/db';
import { continueReplay, type ReplayCursor, stalledReplays } from '@/server/delivery/replay';
import { takeOverdue } from '@/server/events/relay';
import { makeDeliveries } from '@/test/deliveries';
import { emitEvents, makeProject, makeSubscription } from '@/test/factories';
import { holdLock, someoneWaits, waiting } from '@/test/locks';
import { until } from '@/test/receiver';
import { setupTestServer } from '@/test/server';

const server = setupTestServer();

const start: ReplayCursor = { status: 0, createdAt: null, id: null };

/** A subscription with failed and delivered deliveries. No functions run here. */
async function setUp(failed: number, delivered: number) {
  const { project, owner } = await makeProject();
  const subscription = await makeSubscription(project.id, { url: 'http://127.0.0.1:9/hook' });
  const events = await emitEvents(project.id, failed + delivered);
  const before = { createdAt: new Date(Date.now() - 3_600_000) };
  await makeDeliveries(subscription, events.slice(0, failed), { status: 'failed', ...before });
  await makeDeliveries(subscription, events.slice(failed), { status: 'delivered', ...before });
  const path = `/webhooks/subscriptions/${subscription.id}`;
  const post = (rest: string, body?: object) =>
    server.post<{ id: string; total: number }>(`${path}${rest}`, { bearer: owner.bearer, body });
  const counts = async () => {
    const rows = await db.webhookDelivery.groupBy({
      by: ['status', 'replayCount'],
      where: { subscriptionId: subscription.id },
      _count: true,
    });
    return Object.fromEntries(rows.map((row) => [`${row.status} ${row.replayCount}`, row._count]));
  };
  return { project, owner, subscription, post, counts };
}

it('queues each delivery once, in batches, even when steps are repeated', async () => {
  const { post, counts } = await setUp(1_203, 5);
  const asked = await post('/replay', { status: 'failed' });
  expect(asked.body.total).toBe(1_203);
  await continueReplay(asked.body.id, start);
  await continueReplay(asked.body.id, start);
  expect(await continueReplay(asked.body.id, start)).toBeNull();
  expect(await counts()).toEqual({ 'pending 1': 1_203, 'delivered 0': 5 });
  expect(await db.webhookReplay.findUnique({ where: { id: asked.body.id } })).toMatchObject({
    total: 1_203,
    done: 1_203,
    finishedAt: expect.any(Date),
  });
});

it('continues after a crash, skips newer deliveries, and counts those that it could not queue', async () => {
  const { project, subscription, post, counts } = await setUp(4, 3);
  const asked = await post('/replay', { status: 'delivered' });
  const [later = ''] = await emitEvents(project.id, 1);
  await makeDeliveries(subscription, [later], { status: 'delivered', createdAt: new Date(Date.now() + 60_000) });
  const [busy] = await db.webhookDelivery.findMany({ where: { subscriptionId: subscription.id, status: 'delivered' } });
  const claim = { claimId: 'someone', claimedUntil: new Date(Date.now() + 60_000) };
  await db.webhookDelivery.update({ where: { id: busy?.id }, data: claim });
  const lost = await db.webhookReplay.update({
    where: { id: asked.body.id },
    data: { createdAt: new Date(Date.now() - 120_000), continuedAt: new Date(Date.now() - 30_000) },
  });
  const stalled = async () => (await takeOverdue(stalledReplays, 20_000)).map(({ data }) => data);
  const requested = { replayId: lost.id, subscriptionId: subscription.id, turn: project.id, userId: lost.createdById };
  expect(await stalled()).toEqual([requested]);
  expect(await continueReplay(lost.id, start)).toBeNull();
  expect(await counts()).toEqual({ 'failed 0': 4, 'pending 1': 2, 'delivered 0': 2 });
  expect(await db.webhookReplay.findUnique({ where: { id: lost.id } })).toMatchObject({ total: 3, done: 2 });
  expect(await stalled()).toEqual([]);
  expect(await continueReplay('whr_gone', start)).toBeNull();
});

it('keeps held deliveries held, with another 24 hours', async () => {
  const { subscription, post, counts } = await setUp(0, 3);
  const where = { subscriptionId: subscription.id };
  await db.webhookSubscription.update({ where: { id: subscription.id }, data: { status: 'paused' } });
  const nearlyOver = { expiresAt: new Date(Date.now() + 600_000), completedAt: null };
  await db.webhookDelivery.updateMany({ where, data: { status: 'held', heldReason: 'paused', ...nearlyOver } });
  const asked = await post('/replay', { status: 'held' });
  expect(asked.body.total).toBe(3);
  expect(await continueReplay(asked.body.id, start)).toBeNull();
  expect(await counts()).toEqual({ 'held 1': 3 });
  const { expiresAt } = await db.webhookDelivery.findFirstOrThrow({ where });
  expect(expiresAt.getTime()).toBeGreaterThan(Date.now() + 3_600_000);
});

it('runs one at a time for a subscription, also for simultaneous requests', async () => {
  const { post } = await setUp(3, 0);
  const answers = await Promise.all([post('/replay'), post('/replay'), post('/replay')]);
  expect(answers.map(({ status }) => status).sort()).toEqual([202, 409, 409]);
  expect(answers.map(({ reason }) => reason ?? '').sort()).toEqual(['', 'CONFLICT', 'CONFLICT']);
  const [first] = answers.filter(({ status }) => status === 202);
  await continueReplay(first?.body.id ?? '', start);
  expect((await post('/replay', { type: 'match.started' })).body).toMatchObject({ total: 0 });
});

it('is limited to twenty bulk replays in ten minutes and 120 single ones a minute', async () => {
  const { subscription, post } = await setUp(0, 1);
  const [delivery] = await db.webhookDelivery.findMany({ where: { subscriptionId: subscription.id } });
  for (let sent = 0; sent < 10; sent += 1) {
    expect((await post('/retry-failed')).status).toBe(202);
    expect((await post('/replay')).status).toBe(202);
  }
  const over = [await post('/retry-failed'), await post('/replay')];
  expect(over.map(({ reason }) => reason)).toEqual(['TOO_MANY_ATTEMPTS', 'TOO_MANY_ATTEMPTS']);
  const statuses = new Set<number>();
  for (let sent = 0; sent <= 120; sent += 1) statuses.add((await post(`/deliveries/${delivery?.id}/replay`)).status);
  expect([...statuses]).toEqual([202, 429]);
});

it('is rejected for a delivery with an attempt under way', async () => {
  const { subscription, post } = await setUp(0, 1);
  const [delivery] = await db.webhookDelivery.findMany({ where: { subscriptionId: subscription.id } });
  await db.webhookDelivery.update({
    where: { id: delivery?.id },
    data: { status: 'pending', claimId: 'someone', claimedUntil: new Date(Date.now() + 60_000) },
  });
  const refused = await post(`/deliveries/${delivery?.id}/replay`);
  expect([refused.status, refused.reason]).toEqual([409, 'INVALID_STATE']);
  expect((await post('/deliveries/whd_none/replay')).status).toBe(404);
});

it('finds no subscription that is being deleted', async () => {
  const { owner, subscription, post } = await setUp(1, 0);
  const release = await holdLock('SELECT FROM webhook_delivery WHERE "subscriptionId" = $1 FOR UPDATE', [
    subscription.id,
  ]);
  const deleting = server.delete(`/webhooks/subscriptions/${subscription.id}`, { bearer: owner.bearer });
  await someoneWaits();
  let answered = false;
  const replaying = post('/replay', { status: 'failed' }).finally(() => {
    answered = true;
  });
  await until(async () => answered || (await waiting()) > 1);
  await release();
  expect((await deleting).status).toBe(200);
  const missing = await server.get(`/webhooks/subscriptions/${subscription.id}`, { bearer: owner.bearer });
  const { status, reason, text } = await replaying;
  expect([status, reason]).toEqual([404, 'NOT_FOUND']);
  expect(JSON.parse(text).message).toBe(JSON.parse(missing.text).message);
});
