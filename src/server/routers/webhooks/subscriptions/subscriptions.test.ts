import { describe, expect, it } from 'vitest';
import { newId } from '@/domain/ids';
import { db } from '@/server/db';
import { claimDue } from '@/server/delivery/attempts/claim';
import { completeAttempts } from '@/server/delivery/attempts/complete';
import { fanOut } from '@/server/delivery/fan-out';
import { webhookAgent } from '@/server/delivery/outbound/policy';
import { post } from '@/server/delivery/outbound/post';
import { eventTypes } from '@/server/events/catalog/catalog';
import { emitEvents, makeApiKey, makeMember, makeProject, makeSubscription, makeUser } from '@/test/factories';
import { openReceiver } from '@/test/queue';
import { setupTestServer } from '@/test/server';

const server = setupTestServer();

const inside = 'http://127.0.0.1:9/hook';
const path = (projectId: string) => `/projects/${projectId}/developer/webhooks`;

type Subscription = { id: string; signingSecret?: string; [field: string]: unknown };
type Page<T> = { items: T[]; total: number; totalPages: number; hasNext: boolean };
type Problem = { message: string; error: { issues: { path: string; message: string }[] } };

describe('creating', () => {
  it('answers 201 with the defaults and the secret, which is not there in the clear and not shown again', async () => {
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

  it('without authentication makes no secret; signing can be asked for beside it', async () => {
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

  it('refuses unknown events, none, and modes that are not there, naming what is', async () => {
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

describe('who may', () => {
  it('is OWNER and ADMIN by bearer; below that 403, outside 404, an API key 401', async () => {
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

  it('sees the subscriptions of the own projects, and of one when asked', async () => {
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

it('event types come with descriptions, schemas and whole examples', async () => {
  const { owner } = await makeProject();
  type Entry = {
    type: string;
    title: string;
    groupTitle: string;
    planned: boolean;
    description: string;
    example: { data: { aggregateId: string; payload: object } };
  };
  const all = await server.get<Page<Entry>>('/webhooks/event-types', { bearer: owner.bearer });
  expect(all.body.total).toBe(eventTypes.length);
  expect(all.body.items.map((item) => item.type)).toEqual(eventTypes);
  for (const item of all.body.items) {
    expect(item.description.length).toBeGreaterThan(10);
    expect(item).toMatchObject({
      title: expect.any(String),
      groupTitle: expect.any(String),
      planned: expect.any(Boolean),
    });
    expect(item.example).toMatchObject({
      event: { type: item.type, version: 1 },
      webhook: { attempt: 1, isRetry: false },
    });
    expect(Object.values(item.example.data.payload)).toContain(item.example.data.aggregateId);
  }
  const some = await server.get<Page<Entry>>('/webhooks/event-types?group=user&limit=2', { bearer: owner.bearer });
  expect(some.body).toMatchObject({ total: 3, totalPages: 2, hasNext: true });
});

describe('deliveries', () => {
  it('are listed newest first with codes and timing, filtered and paged; one shows what was sent and answered', async () => {
    const { project, owner } = await makeProject();
    const target = await openReceiver((request, response) => {
      const { name } = JSON.parse(request.body).data.payload;
      response.writeHead(name === 'Player 2' ? 500 : 200, { 'x-answer': 'yes' }).end(`hello ${name}`);
    });
    const subscription = await makeSubscription(project.id, { url: target.url, maxRetries: 0 });
    const eventIds = await emitEvents(project.id, 3);
    await fanOut(eventIds);
    const claimed = await claimDue(subscription.id, 10);
    const send = async (attempt: (typeof claimed)[number]) => ({
      attempt,
      result: await post(webhookAgent(), attempt),
    });
    await completeAttempts(subscription.id, await Promise.all(claimed.map(send)));

    type Delivery = { id: string; eventId: string; status: string; durationMs: number; attempts: object[] };
    const url = `/webhooks/subscriptions/${subscription.id}/deliveries`;
    const all = await server.get<Page<Delivery>>(url, { bearer: owner.bearer });
    expect(all.body.items.map((item) => item.eventId)).toEqual([...eventIds].reverse());
    expect(all.body.items[1]).toMatchObject({
      status: 'failed',
      responseStatus: 500,
      errorClass: 'http_5xx',
      attemptCount: 1,
      durationMs: expect.any(Number),
      attempts: [{ number: 1, outcome: 'failed', responseStatus: 500 }],
    });
    expect(JSON.stringify(all.body)).not.toContain('hello');
    const failed = await server.get<Page<Delivery>>(`${url}?status=failed`, { bearer: owner.bearer });
    expect(failed.body).toMatchObject({ total: 1, items: [{ eventId: eventIds[1] }] });
    const second = await server.get<Page<Delivery>>(`${url}?limit=1&page=2`, { bearer: owner.bearer });
    expect(second.body).toMatchObject({ total: 3, items: [{ eventId: eventIds[1] }] });
    expect((await server.get(`${url}?status=lost`, { bearer: owner.bearer })).status).toBe(400);

    const read = server.trpc(owner.bearer).webhooks.deliveries.read;
    const detail = await read.query({ id: subscription.id, deliveryId: failed.body.items[0]?.id ?? '' });
    expect(detail.attempts).toMatchObject([
      {
        requestBody: target.received.find((entry) => entry.body.includes('Player 2'))?.body,
        requestHeaders: { 'x-webhook-event': 'participant.registered' },
        responseHeaders: { 'x-answer': 'yes' },
        responseBody: 'hello Player 2',
        responseTruncated: false,
        peerAddress: '127.0.0.1',
      },
    ]);
    const { project: foreign } = await makeProject();
    const elsewhere = await makeSubscription(foreign.id, { url: inside });
    await expect(read.query({ id: elsewhere.id, deliveryId: detail.id })).rejects.toMatchObject({
      data: { reason: 'NOT_FOUND' },
    });
    const listed = await server.get<Page<Subscription>>(path(project.id), { bearer: owner.bearer });
    expect(listed.body.items[0]?.lastDelivery).toMatchObject({ status: 'delivered', responseStatus: 200 });
  });
});
