import { expect, it } from 'vitest';
import { makeAttempts, makeDeliveries } from '@/test/deliveries';
import { emitEvents, makeProject, makeSubscription } from '@/test/factories';
import { setupTestServer } from '@/test/server';

const server = setupTestServer();

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

it('the newest attempt stands with its subscription, though newer deliveries are held', async () => {
  const { project, subscription, get, path } = await setUp();
  type Read = { lastAttempt: unknown; lastDelivery: unknown };
  expect((await get<Read>(path)).lastAttempt).toBeNull();
  const eventIds = await emitEvents(project.id, 32);
  const [tried = ''] = await makeDeliveries(subscription, eventIds.slice(0, 1), {
    status: 'held',
    heldReason: 'breaker',
    createdAt: ago(60),
  });
  await makeAttempts(tried, [failed(60, 'timeout'), failed(50, 'http_5xx', 502)]);
  await makeDeliveries(subscription, eventIds.slice(1), { status: 'held', heldReason: 'breaker', createdAt: ago(1) });
  expect(await get(path)).toMatchObject({
    lastAttempt: { deliveryId: tried, outcome: 'failed', errorClass: 'http_5xx', responseStatus: 502 },
    lastDelivery: { status: 'held', errorClass: null },
  });
});

it('deliveries are found, counted and replayed by how an attempt of them ended', async () => {
  const { project, owner, subscription, get, path } = await setUp();
  const eventIds = await emitEvents(project.id, 3);
  const ids = await makeDeliveries(subscription, eventIds, { status: 'failed', createdAt: ago(10) });
  const [slow = '', broken = '', both = ''] = ids;
  await makeAttempts(slow, [failed(10, 'timeout')]);
  await makeAttempts(broken, [failed(10, 'http_5xx', 500)]);
  await makeAttempts(both, [failed(10, 'timeout'), failed(9, 'http_5xx', 500)]);
  type Page = { items: { id: string }[]; total: number };
  const list = await get<Page>(`${path}/deliveries?errorClass=timeout`);
  expect(new Set(list.items.map(({ id }) => id))).toEqual(new Set([slow, both]));
  expect(await get(`${path}/replay?errorClass=http_5xx`)).toEqual({ total: 2 });
  expect(await get(`${path}/replay?errorClass=dns_error`)).toEqual({ total: 0 });
  const replay = await server.post(`${path}/replay`, { bearer: owner.bearer, body: { errorClass: 'timeout' } });
  expect(replay).toMatchObject({ status: 202, body: { total: 2, filter: { errorClass: 'timeout' } } });
});

it('the dashboard says since when something waits, and draws the last day in steps', async () => {
  const { project, subscription, get } = await setUp();
  const eventIds = await emitEvents(project.id, 4);
  const oldest = ago(90);
  await makeDeliveries(subscription, eventIds.slice(0, 1), {
    status: 'held',
    heldReason: 'breaker',
    createdAt: oldest,
  });
  await makeDeliveries(subscription, eventIds.slice(1, 2), { status: 'pending', createdAt: ago(30) });
  await makeDeliveries(subscription, eventIds.slice(2, 3), { status: 'delivered', createdAt: ago(30) });
  await makeDeliveries(subscription, eventIds.slice(3), { status: 'expired', createdAt: ago(30) });
  type Step = { at: string; delivered: number; failed: number };
  type Item = { oldestAt: string; timeline: Step[] };
  const { items } = await get<{ items: Item[] }>(`/webhooks/dashboard?projectId=${project.id}`);
  expect(items[0]?.oldestAt).toBe(oldest.toISOString());
  expect(items[0]?.timeline).toHaveLength(24);
  expect(items[0]?.timeline.at(-1)).toMatchObject({ delivered: 1, failed: 1 });
  expect(items[0]?.timeline.slice(0, -1).every((step) => step.delivered + step.failed === 0)).toBe(true);
});
