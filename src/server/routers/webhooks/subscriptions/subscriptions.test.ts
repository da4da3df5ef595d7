import { describe, expect, it } from 'vitest';
import { newId } from '@/domain/ids';
import { db, pool } from '@/server/db';
import { maxDeletedWith } from '@/server/delivery/attempts/deletions';
import { takeEvents } from '@/server/delivery/fan-out';
import { makeAttempts, makeDeliveries } from '@/test/deliveries';
import { emitEvents, makeApiKey, makeMember, makeProject, makeSubscription, makeUser } from '@/test/factories';
import { holdLock, someoneWaits } from '@/test/locks';
import { withRoom } from '@/test/room';
import { setupTestServer } from '@/test/server';
import { makeWebhook, subscriptionPath } from '@/test/webhooks';

const server = setupTestServer();

const inside = 'http://127.0.0.1:9/hook';
const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000);
const path = (projectId: string) => `/projects/${projectId}/developer/webhooks`;

type Subscription = { id: string; signingSecret?: string; [field: string]: unknown };
type Page<T> = { items: T[]; total: number; totalPages: number; hasNext: boolean };
type Problem = { message: string; error: { issues: { path: string; message: string }[] } };

describe('creating', () => {
  it('returns 201 with the defaults and the secret, which is stored encrypted and not shown again', async () => {
    const { project, owner } = await makeProject();
    const body = { url: inside, events: ['tournament.*', 'user.created', 'user.created'], projectId: 'prj_other' };
    const made = await server.post<Subscription>(path(project.id), { bearer: owner.bearer, body });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      id: expect.stringMatching(/^whs_/),
      projectId: project.id,
      url: inside,
      description: '',
      events: ['tournament.*', 'user.created'],
      authentication: { mode: 'hmac_signature', label: null },
      signPayload: true,
      previousSecretUntil: null,
      status: 'active',
      pausedAt: null,
      disabledAt: null,
      disabledReason: null,
      timeoutMs: 10_000,
      maxRetries: 6,
      retryBaseDelayMs: 5_000,
      retryBackoffMultiplier: 4,
      enableCircuitBreaker: true,
      circuitBreakerThreshold: 10,
      circuitBreakerTimeoutMs: 60_000,
      breaker: { state: 'closed', consecutiveFailures: 0, openedAt: null, retryAt: null },
      rateLimitConfig: null,
      ipWhitelist: [],
      filters: null,
      healthCheck: null,
      health: { status: null, checkedAt: null, detail: null },
      holdUntil: null,
      failingSince: null,
      lastAttempt: null,
      lastAttemptAt: null,
      lastDeliveredAt: null,
      lastDelivery: null,
      version: 1,
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: expect.stringMatching(/Z$/),
      signingSecret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    });
    const secret = made.body.signingSecret ?? '';
    const row = await db.webhookSubscription.findUniqueOrThrow({ where: { id: made.body.id } });
    expect(JSON.stringify(row)).not.toContain(secret);
    const audits = await db.auditEntry.findMany({ where: { targetId: made.body.id } });
    expect(audits).toMatchObject([{ action: 'webhook.create', actorId: owner.id, projectId: project.id }]);
    expect(JSON.stringify(audits)).not.toContain(secret);
    for (const url of [path(project.id), '/webhooks/subscriptions', `/webhooks/subscriptions/${made.body.id}`]) {
      const read = await server.get(url, { bearer: owner.bearer });
      expect(read.status).toBe(200);
      expect(read.text).toContain(made.body.id);
      expect(read.text).not.toContain('whsec_');
    }
    const caller = server.trpc(owner.bearer);
    const revealed = await caller.webhooks.subscriptions.revealSecret.mutate({ id: made.body.id });
    expect(revealed.signingSecret).toBe(secret);
    expect(await db.auditEntry.count({ where: { action: 'webhook.reveal_secret', targetId: made.body.id } })).toBe(1);
  });

  it('without authentication creates no secret; signing can be turned on in any mode', async () => {
    const { project, owner } = await makeProject();
    const body = { url: inside, events: ['*'], authentication: { mode: 'none' } };
    const plain = await server.post<Subscription>(path(project.id), { bearer: owner.bearer, body });
    expect(plain.body).toMatchObject({ signPayload: false, signingSecret: null, authentication: { mode: 'none' } });
    const signed = await server.post<Subscription>(path(project.id), {
      bearer: owner.bearer,
      body: { ...body, signPayload: true },
    });
    expect(signed.body).toMatchObject({ signPayload: true, signingSecret: expect.stringMatching(/^whsec_/) });
    const reveal = server.trpc(owner.bearer).webhooks.subscriptions.revealSecret.mutate({ id: plain.body.id });
    await expect(reveal).rejects.toMatchObject({ data: { reason: 'NOT_FOUND' } });
  });

  it.each([
    ['timeoutMs', 1_000, 120_000],
    ['maxRetries', 0, 10],
    ['retryBaseDelayMs', 1_000, 60_000],
    ['retryBackoffMultiplier', 1, 10],
  ])('takes %s from %d to %d', async (field, min, max) => {
    const { project, owner } = await makeProject();
    for (const value of [min, max]) {
      const body = { url: inside, events: ['*'], [field]: value };
      const made = await server.post<Subscription>(path(project.id), { bearer: owner.bearer, body });
      expect(made.status).toBe(201);
      expect(made.body[field]).toBe(value);
    }
    for (const value of [min - 1, max + 1, 'many', null]) {
      const body = { url: inside, events: ['*'], [field]: value };
      const refused = await server.post<Problem>(path(project.id), { bearer: owner.bearer, body });
      expect(refused.status).toBe(400);
      expect(refused.body.error.issues[0]?.path).toBe(field);
    }
  });

  it.each([
    ['http://10.0.0.1/', 'not public'],
    ['http://169.254.169.254/latest/meta-data', 'not public'],
    ['http://0xa000001/', 'not public'],
    ['http://[::1]:3000/', 'not public'],
    ['https://no-such-host.invalid/', 'does not resolve'],
    ['https://user:password@127.0.0.1/', 'user name'],
    ['ftp://127.0.0.1/', 'https://'],
    ['hook', 'complete URL'],
  ])('refuses %s: %s', async (url, reason) => {
    const { project, owner } = await makeProject();
    const body = { url, events: ['*'] };
    const refused = await server.post<Problem>(path(project.id), { bearer: owner.bearer, body });
    expect([refused.status, refused.reason]).toEqual([400, 'WEBHOOK_URL_REFUSED']);
    expect(refused.body.message).toContain(reason);
    expect(refused.body.error.issues).toEqual([{ path: 'url', message: refused.body.message }]);
    expect(await db.webhookSubscription.count({ where: { projectId: project.id } })).toBe(0);
  });

  it('rejects unknown event types, an empty list and unknown modes, naming the valid ones', async () => {
    const { project, owner } = await makeProject();
    const attempts: [object, string][] = [
      [{ url: inside, events: ['tournament.exploded'] }, 'tournament.exploded'],
      [{ url: inside, events: [] }, 'at least one'],
      [{ url: inside }, ''],
      [{ events: ['*'] }, ''],
      [
        { url: inside, events: ['*'], authentication: { mode: 'oauth2' } },
        'The modes are hmac_signature, bearer_token',
      ],
    ];
    for (const [body, message] of attempts) {
      const refused = await server.post<Problem>(path(project.id), { bearer: owner.bearer, body });
      expect([refused.status, refused.reason]).toEqual([400, 'VALIDATION_FAILED']);
      expect(refused.body.error.issues[0]?.message).toContain(message);
    }
  });
});

describe('permissions', () => {
  it('OWNER and ADMIN may create; other roles get 403, outsiders 404, API keys 401', async () => {
    const { project, owner } = await makeProject();
    const admin = await makeMember(project.id, 'ADMIN');
    const organizer = await makeMember(project.id, 'ORGANIZER');
    const stranger = await makeUser();
    const { owner: otherOwner } = await makeProject();
    const { key } = await makeApiKey(project.id);
    const body = { url: inside, events: ['*'] };
    const made = await server.post<Subscription>(path(project.id), { bearer: admin.bearer, body });
    expect(made.status).toBe(201);
    const one = `/webhooks/subscriptions/${made.body.id}`;
    const calls: [string, string][] = [
      ['POST', path(project.id)],
      ['GET', path(project.id)],
      ['GET', `/webhooks/subscriptions?projectId=${project.id}`],
      ['GET', one],
      ['GET', `${one}/deliveries`],
      ['DELETE', one],
    ];
    for (const [method, url] of calls) {
      const sent = method === 'POST' ? { body } : {};
      const statusOf = async (options: object) => (await server.call(method, url, { ...sent, ...options })).status;
      expect([method, url, await statusOf({ apiKey: key })]).toEqual([method, url, 401]);
      expect([method, url, await statusOf({})]).toEqual([method, url, 401]);
      expect([method, url, await statusOf({ bearer: organizer.bearer })]).toEqual([method, url, 403]);
      expect([method, url, await statusOf({ bearer: otherOwner.bearer })]).toEqual([method, url, 404]);
    }
    for (const url of ['/webhooks/event-types', '/webhooks/subscriptions']) {
      expect((await server.get(url, { bearer: organizer.bearer })).status).toBe(403);
      expect((await server.get(url, { bearer: stranger.bearer })).status).toBe(403);
      expect((await server.get(url, { bearer: admin.bearer })).status).toBe(200);
    }
    expect((await server.delete(one, { bearer: owner.bearer })).body).toEqual({ id: made.body.id, removed: true });
    expect((await server.delete(one, { bearer: owner.bearer })).status).toBe(404);
  });

  it('with many deliveries, one is deleted in the version that the caller names, and otherwise keeps them', async () => {
    const { project, owner, subscription } = await makeWebhook(server);
    await pool.query(
      `WITH e AS (
         INSERT INTO domain_event (id, "projectId", type, version, "aggregateType", "aggregateId", payload, metadata)
         SELECT 'evt_' || $1 || n, $1, 'participant.registered', 1, 'participant', 'prt_1', '{}', '{}' FROM generate_series(1, $2::int) n
         RETURNING id
       ), taken AS (DELETE FROM pending_event)
       INSERT INTO webhook_delivery (id, "subscriptionId", "projectId", "eventId", "eventType", status, "expiresAt", "updatedAt")
       SELECT 'whd_' || id, $3, $1, id, 'participant.registered', 'delivered', now(), now() FROM e`,
      [project.id, maxDeletedWith + 1, subscription.id],
    );
    const remove = (version: number) =>
      server.delete(subscriptionPath(subscription.id), {
        bearer: owner.bearer,
        headers: { 'if-match': `"${version}"` },
      });
    const left = () => db.webhookDelivery.count({ where: { subscriptionId: subscription.id } });
    expect((await remove(subscription.version + 1)).status).toBe(412);
    expect(await left()).toBe(maxDeletedWith + 1);
    expect((await remove(subscription.version)).status).toBe(200);
    expect(await left()).toBe(0);
  });

  it.each([
    ['many attempts', maxDeletedWith / 2],
    ['an attempt each', 1],
  ])('with %s of few deliveries, one is deleted without keeping events waiting', async (_which, count) => {
    const { project, owner, subscription } = await makeWebhook(server);
    const eventIds = await emitEvents(project.id, 2);
    await db.pendingEvent.deleteMany({ where: { eventId: { in: eventIds } } });
    const deliveries = await makeDeliveries(subscription, eventIds, {
      status: 'delivered',
      attemptCount: count,
    });
    for (const id of deliveries) await makeAttempts(id, Array(count).fill({}));
    const release = await holdLock('SELECT FROM webhook_attempt WHERE "deliveryId" = $1 FOR UPDATE', [deliveries[0]]);
    const removing = server.delete(subscriptionPath(subscription.id), { bearer: owner.bearer });
    await someoneWaits();
    await emitEvents(project.id, 1);
    await takeEvents(withRoom(0), []);
    expect(await db.pendingEvent.count({ where: { projectId: project.id } })).toBe(0);
    await release();
    expect((await removing).status).toBe(200);
    expect(await db.webhookAttempt.count({ where: { deliveryId: { in: deliveries } } })).toBe(0);
  });

  it('a member who is removed before a deletion is decided deletes nothing, and after that all of it in their name', async () => {
    const { project, owner, subscription } = await makeWebhook(server);
    const deliveries = await makeDeliveries(subscription, await emitEvents(project.id, 2), { status: 'delivered' });
    for (const id of deliveries) await makeAttempts(id, [{}]);
    const [first, second] = [await makeMember(project.id, 'ADMIN'), await makeMember(project.id, 'ADMIN')];
    const leave = async (member: typeof first) => {
      const left = await server.delete(`/projects/${project.id}/members/${member.id}`, { bearer: owner.bearer });
      expect(left.status, left.text).toBe(200);
    };
    const left = () => db.webhookDelivery.count({ where: { subscriptionId: subscription.id } });

    const unlock = await holdLock('SELECT FROM webhook_subscription WHERE id = $1 FOR UPDATE', [subscription.id]);
    const refused = server.delete(subscriptionPath(subscription.id), { bearer: first.bearer });
    await someoneWaits();
    await leave(first);
    await unlock();
    expect((await refused).status).toBe(403);
    expect(await left()).toBe(2);
    const { status } = await db.webhookSubscription.findUniqueOrThrow({ where: { id: subscription.id } });
    expect(status).toBe('active');

    const release = await holdLock('SELECT FROM webhook_attempt WHERE "deliveryId" = $1 FOR UPDATE', [deliveries[0]]);
    const removing = server.delete(subscriptionPath(subscription.id), { bearer: second.bearer });
    await someoneWaits();
    await leave(second);
    await release();
    expect((await removing).status).toBe(200);
    expect(await left()).toBe(0);
    const where = { projectId: project.id, action: 'webhook.delete' };
    expect(await db.auditEntry.findMany({ where, select: { actorId: true } })).toEqual([{ actorId: second.id }]);
  });

  it("the list contains the subscriptions of the caller's projects, or of one of them", async () => {
    const { project, owner } = await makeProject();
    const second = await db.project.create({
      data: {
        id: newId('prj'),
        slug: newId('prj').replace('_', '-'),
        name: 'Second',
        members: { create: { userId: owner.id, role: 'ADMIN' } },
      },
    });
    const { project: foreign } = await makeProject();
    const made = await Promise.all([project, second, foreign].map(({ id }) => makeSubscription(id, { url: inside })));
    const ids = made.map(({ id }) => id);
    const all = await server.get<Page<Subscription>>('/webhooks/subscriptions', { bearer: owner.bearer });
    expect(all.body.items.map((item) => item.id).sort()).toEqual(ids.slice(0, 2).sort());
    const one = await server.get<Page<Subscription>>(`/webhooks/subscriptions?projectId=${second.id}&limit=1`, {
      bearer: owner.bearer,
    });
    expect(one.body).toMatchObject({ items: [{ id: ids[1] }], total: 1, totalPages: 1, hasNext: false });
    expect((await server.get('/webhooks/subscriptions?limit=101', { bearer: owner.bearer })).status).toBe(400);
  });
});

it('a subscription includes its newest attempt, even if newer deliveries are held', async () => {
  const { project, owner } = await makeProject();
  const subscription = await makeSubscription(project.id, { url: inside });
  const get = async <Body>(route: string) => (await server.get<Body>(route, { bearer: owner.bearer })).body;
  const route = `/webhooks/subscriptions/${subscription.id}`;
  type Read = { lastAttempt: unknown; lastDelivery: unknown };
  expect((await get<Read>(route)).lastAttempt).toBeNull();
  const eventIds = await emitEvents(project.id, 32);
  const [tried = ''] = await makeDeliveries(subscription, eventIds.slice(0, 1), {
    status: 'held',
    heldReason: 'breaker',
    createdAt: ago(60),
  });
  const failed = { outcome: 'failed' as const };
  await makeAttempts(tried, [
    { ...failed, startedAt: ago(60), errorClass: 'timeout' },
    { ...failed, startedAt: ago(50), errorClass: 'http_5xx', responseStatus: 502 },
  ]);
  await makeDeliveries(subscription, eventIds.slice(1), { status: 'held', heldReason: 'breaker', createdAt: ago(1) });
  expect(await get(route)).toMatchObject({
    lastAttempt: { deliveryId: tried, outcome: 'failed', errorClass: 'http_5xx', responseStatus: 502 },
    lastDelivery: { status: 'held', errorClass: null },
  });
});
