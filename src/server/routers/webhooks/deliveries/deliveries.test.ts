import { describe, expect, it } from 'vitest';
import { claimDue } from '@/server/delivery/attempts/claim';
import { completeAttempts } from '@/server/delivery/attempts/complete';
import { webhookAgent } from '@/server/delivery/outbound/policy';
import { post } from '@/server/delivery/outbound/post';
import { makeAttempts, makeDeliveries } from '@/test/deliveries';
import { emitEvents, makeProject, makeSubscription } from '@/test/factories';
import { fanOut, openReceiver } from '@/test/queue';
import { setupTestServer } from '@/test/server';

const server = setupTestServer();

type Page<T> = { items: T[]; total: number; totalPages: number; hasNext: boolean };

const url = 'http://127.0.0.1:9/hook';
const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000);
const failed = (minutes: number, errorClass: string, responseStatus: number | null = null) => ({
  startedAt: ago(minutes),
  outcome: 'failed' as const,
  errorClass,
  responseStatus,
});

async function setUp() {
  const { project, owner } = await makeProject();
  const subscription = await makeSubscription(project.id, { url });
  const get = async <Body>(path: string) => (await server.get<Body>(path, { bearer: owner.bearer })).body;
  return { project, owner, subscription, get, path: `/webhooks/subscriptions/${subscription.id}` };
}

describe('deliveries', () => {
  it('have the newest of their attempts, however many there are', async () => {
    const { project, subscription, get, path } = await setUp();
    const ids = await makeDeliveries(subscription, await emitEvents(project.id, 2), { status: 'failed' });
    for (const id of ids)
      await makeAttempts(
        id,
        Array.from({ length: 120 }, () => failed(1, 'http_5xx', 500)),
      );
    const numbers = ({ attempts }: { attempts: { number: number }[] }) => attempts.map(({ number }) => number);
    const last = (count: number) => Array.from({ length: count }, (_, at) => 120 - count + at + 1);
    const { items } = await get<Page<{ attempts: { number: number }[] }>>(`${path}/deliveries`);
    expect(items.map(numbers)).toEqual([last(20), last(20)]);
    expect(numbers(await get(`${path}/deliveries/${ids[0]}`))).toEqual(last(100));
  });

  it('are listed newest first with filters and pages; a single one includes request and response', async () => {
    const { project, owner } = await makeProject();
    const target = await openReceiver((request, response) => {
      const { name } = JSON.parse(request.body).data.payload;
      response.writeHead(name === 'Player 2' ? 500 : 200, { 'x-reply': 'yes' }).end(`hello ${name}`);
    });
    const subscription = await makeSubscription(project.id, { url: target.url, maxRetries: 0 });
    const eventIds = await emitEvents(project.id, 3);
    await fanOut(eventIds);
    const claimed = await claimDue(subscription.id, 10);
    const send = async (attempt: (typeof claimed)[number]) => ({
      attempt,
      result: await post(webhookAgent(), attempt),
    });
    await completeAttempts(await Promise.all(claimed.map(send)));

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
        responseHeaders: { 'x-reply': 'yes' },
        responseBody: 'hello Player 2',
        responseTruncated: false,
        peerAddress: '127.0.0.1',
      },
    ]);
    const { project: foreign } = await makeProject();
    const elsewhere = await makeSubscription(foreign.id, { url: `${target.url}/other` });
    await expect(read.query({ id: elsewhere.id, deliveryId: detail.id })).rejects.toMatchObject({
      data: { reason: 'NOT_FOUND' },
    });
    const listed = await server.get<Page<{ lastDelivery: object }>>(`/projects/${project.id}/developer/webhooks`, {
      bearer: owner.bearer,
    });
    expect(listed.body.items[0]?.lastDelivery).toMatchObject({ status: 'delivered', responseStatus: 200 });
  });
});

it('deliveries can be listed, counted and replayed by the error of an attempt', async () => {
  const { project, owner, subscription, get, path } = await setUp();
  const eventIds = await emitEvents(project.id, 3);
  const ids = await makeDeliveries(subscription, eventIds, { status: 'failed', createdAt: ago(10) });
  const [slow = '', broken = '', both = ''] = ids;
  await makeAttempts(slow, [failed(10, 'timeout')]);
  await makeAttempts(broken, [failed(10, 'http_5xx', 500)]);
  await makeAttempts(both, [failed(10, 'timeout'), failed(9, 'http_5xx', 500)]);
  const list = await get<Page<{ id: string }>>(`${path}/deliveries?errorClass=timeout`);
  expect(new Set(list.items.map(({ id }) => id))).toEqual(new Set([slow, both]));
  expect(await get(`${path}/replay?errorClass=http_5xx`)).toEqual({ total: 2 });
  expect(await get(`${path}/replay?errorClass=dns_error`)).toEqual({ total: 0 });
  const replay = await server.post(`${path}/replay`, { bearer: owner.bearer, body: { errorClass: 'timeout' } });
  expect(replay).toMatchObject({ status: 202, body: { total: 2, filter: { errorClass: 'timeout' } } });
});
