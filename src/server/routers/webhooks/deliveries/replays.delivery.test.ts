import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signAccessToken } from '@/server/auth/bearer';
import { db, pool } from '@/server/db';
import { type Background, startBackground } from '@/test/background';
import { deliveriesOf, makeDeliveries } from '@/test/deliveries';
import { emitEvents, makeUser } from '@/test/factories';
import { type Respond, until } from '@/test/receiver';
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

const failing: Respond = (_request, response) => response.writeHead(500).end();

/** Failed deliveries of a webhook, with their events. */
const makeFailed = ({ project, subscription }: Awaited<ReturnType<typeof makeWebhook>>, count: number) =>
  pool.query(
    `WITH e AS (
       INSERT INTO domain_event (id, "projectId", type, version, "aggregateType", "aggregateId", payload, metadata)
       SELECT 'evt_' || $1 || n, $1, 'participant.registered', 1, 'participant', 'prt_1', '{}', '{}' FROM generate_series(1, $2::int) n
       RETURNING id
     )
     INSERT INTO webhook_delivery (id, "subscriptionId", "projectId", "eventId", "eventType", status, "expiresAt", "updatedAt")
     SELECT 'whd_' || id, $3, $1, id, 'participant.registered', 'failed', now(), now() FROM e`,
    [project.id, count, subscription.id],
  );

describe('a replay', () => {
  it('of one delivery sends the same event as a new attempt, also after success', async () => {
    const { project, subscription, target, post, all } = await makeWebhook(server);
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

  it('of failed deliveries sends all of them with all retries, and nothing else', async () => {
    const { project, subscription, target, post, statuses, respondWith } = await makeWebhook(
      server,
      { maxRetries: 0 },
      failing,
    );
    await emitEvents(project.id, 3);
    await until(async () => (await statuses()).filter((status) => status === 'failed').length === 3);
    respondWith(undefined);
    const [, , third] = await deliveriesOf(subscription.id);
    await db.webhookDelivery.update({ where: { id: third?.id }, data: { status: 'expired' } });
    const retried = await post('/retry-failed');
    expect([retried.status, retried.body]).toEqual([202, { requeued: 2 }]);
    await until(async () => (await statuses()).filter((status) => status === 'delivered').length === 2);
    expect(await statuses()).toEqual(['delivered', 'delivered', 'expired']);
    expect(target.received).toHaveLength(5);
    expect((await post('/retry-failed')).body).toEqual({ requeued: 0 });
  });

  it('by filter is counted in advance and runs in the background with progress', async () => {
    const { project, subscription, owner, target, post, statuses } = await makeWebhook(server);
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
      const answer = await server.get<{ total: number }>(subscriptionPath(subscription.id, `/replay?${query}`), {
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
      const url = subscriptionPath(subscription.id, `/replays/${asked.body.id}`);
      return (await server.get(url, { bearer: owner.bearer })).body;
    };
    await until(async () => (await progress()).finishedAt !== null);
    expect(await progress()).toMatchObject({ total: 4, done: 4 });
    await until(async () => target.received.length === 16);
    expect(target.eventIds().slice(12).sort()).toEqual(eventIds.slice(2, 6).sort());
    await until(async () => !(await statuses()).includes('pending'));
    const insight = await server.trpc(owner.bearer).webhooks.insight.query({ id: subscription.id });
    expect(insight).toMatchObject({ failed: 2, replay: { id: asked.body.id, done: 4 }, backlog: { pending: 0 } });
    const list = await server.get<{ total: number }>(subscriptionPath(subscription.id, '/replays'), {
      bearer: owner.bearer,
    });
    expect(list.body.total).toBe(1);
  });

  it('by ids queues those of the subscription at once', async () => {
    const { project, subscription, target, post } = await makeWebhook(server);
    const eventIds = await emitEvents(project.id, 2);
    await until(async () => target.received.length === 2);
    await background.idle();
    const other = await makeWebhook(server);
    const foreign = await makeDeliveries({ id: other.subscription.id, projectId: other.project.id }, eventIds);
    const own = (await deliveriesOf(subscription.id)).map(({ id }) => id);
    const asked = await post('/replay', { deliveryIds: [...own.slice(0, 1), ...foreign] });
    expect(asked.body).toMatchObject({ total: 1, done: 1, finishedAt: expect.any(String) });
    await until(async () => target.received.length === 3);
    expect((await post('/replay', { deliveryIds: foreign })).status).toBe(404);
    expect((await post('/replay', { deliveryIds: [] })).status).toBe(400);
    expect((await post('/replay', { from: '2026-11-21T00:00:00Z', to: '2026-11-20T00:00:00Z' })).status).toBe(400);
  });

  it('is held while the subscription is paused', async () => {
    const { project, subscription, post, all, target } = await makeWebhook(server);
    await emitEvents(project.id, 1);
    await until(all('delivered', 1));
    await post('/pause');
    const [delivery] = await deliveriesOf(subscription.id);
    expect((await post(`/deliveries/${delivery?.id}/replay`)).body).toMatchObject({ status: 'held' });
    await post('/resume');
    await until(all('delivered', 1));
    expect(target.received).toHaveLength(2);
  });

  it('goes on beside three others of its account, whatever their projects', async () => {
    const own = await Promise.all([1, 2, 3, 4, 5].map(() => makeWebhook(server, { status: 'paused' })));
    const admin = await makeUser();
    const bearer = `Bearer ${await signAccessToken(admin)}`;
    for (const one of own) {
      await db.member.create({ data: { projectId: one.project.id, userId: admin.id, role: 'ADMIN' } });
      await makeFailed(one, 2_000);
    }
    for (const { subscription } of own) {
      const asked = await server.post(subscriptionPath(subscription.id, '/replay'), { bearer, body: {} });
      expect(asked.status, asked.text).toBe(202);
    }
    const going = new Set<number>();
    await until(async () => {
      const replays = await db.webhookReplay.findMany({ where: { createdById: admin.id } });
      going.add(replays.filter(({ done, finishedAt }) => done > 0 && finishedAt === null).length);
      return replays.every(({ finishedAt }) => finishedAt !== null);
    });
    expect(Math.max(...going)).toBe(4);
  });

  it('waits for none of those of other projects, however many go on', async () => {
    const many = 4_000;
    const long = await Promise.all([1, 2, 3, 4].map(() => makeWebhook(server, { status: 'paused' })));
    const short = await makeWebhook(server, { status: 'paused' });
    for (const one of long) await makeFailed(one, many);
    await makeFailed(short, 1);
    for (const { post } of long) expect((await post('/replay', {})).status).toBe(202);
    const begun = { done: { gt: 0 }, projectId: { in: long.map(({ project }) => project.id) } };
    await until(async () => (await db.webhookReplay.count({ where: begun })) === long.length);
    await short.post('/replay', {});
    const all = [...long, short].map(({ subscription }) => subscription.id);
    const replays = () => db.webhookReplay.findMany({ where: { subscriptionId: { in: all } } });
    await until(async () => (await replays()).every(({ finishedAt }) => finishedAt !== null));
    const [first] = (await replays()).sort((a, b) => Number(a.finishedAt) - Number(b.finishedAt));
    expect(first?.subscriptionId).toBe(short.subscription.id);
  });
});
