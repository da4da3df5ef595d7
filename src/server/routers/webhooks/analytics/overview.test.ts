import { describe, expect, it } from 'vitest';
import { makeDeliveries } from '@/test/deliveries';
import { emitEvents, makeProject, makeSubscription } from '@/test/factories';
import { setupTestServer } from '@/test/server';

const server = setupTestServer();
const inside = 'http://127.0.0.1:9/hook';
const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000);

describe('the dashboard', () => {
  it("sums up the subscriptions of the caller's projects with the health of each", async () => {
    const { project, owner } = await makeProject();
    const { project: foreign } = await makeProject();
    const now = new Date();
    const states = {
      healthy: {},
      degraded: { consecutiveFailures: 2 },
      failing: { breakerState: 'open' as const },
      paused: { status: 'paused' as const },
      disabled: { status: 'disabled' as const },
      idle: {},
    };
    const eventIds = await emitEvents(project.id, 3);
    const ids = new Map<string, string>();
    for (const [name, data] of Object.entries(states)) {
      const made = await makeSubscription(project.id, { url: inside, description: name, ...data });
      ids.set(made.id, name);
      if (name === 'idle') continue;
      await makeDeliveries(made, eventIds.slice(0, 1), { status: 'delivered' });
      await makeDeliveries(made, eventIds.slice(1, 2), { status: name === 'degraded' ? 'failed' : 'pending' });
      await makeDeliveries(made, eventIds.slice(2, 3), {
        status: 'failed',
        createdAt: new Date(now.getTime() - 90_000_000),
      });
    }
    const stranger = await makeSubscription(foreign.id, { url: inside });
    await makeDeliveries(stranger, eventIds, { status: 'failed' });
    type Item = { id: string; health: string; pending: number; deliveries: { total: number } };
    type Dashboard = { items: Item[]; totals: object; total: number; hasNext: boolean };
    const all = await server.get<Dashboard>('/webhooks/dashboard', { bearer: owner.bearer });
    expect(all.status).toBe(200);
    for (const item of all.body.items) expect(item.health).toBe(ids.get(item.id));
    expect(all.body.items.find((item) => item.health === 'degraded')).toMatchObject({
      pending: 0,
      deliveries: { total: 2, delivered: 1, failed: 1, successRate: 0.5 },
    });
    expect(all.body.totals).toEqual({
      subscriptions: 6,
      active: 4,
      paused: 1,
      disabled: 1,
      breakersOpen: 1,
      unhealthy: 1,
      pending: 4,
      held: 0,
      deliveries: { total: 10, delivered: 5, failed: 1, expired: 0, pending: 4, held: 0, successRate: 5 / 6 },
    });
    const wide = await server.get<Dashboard>(`/webhooks/dashboard?range=7d&projectId=${project.id}&limit=2&page=3`, {
      bearer: owner.bearer,
    });
    expect(wide.body).toMatchObject({ total: 6, hasNext: false, totals: { deliveries: { failed: 6 } } });
    expect(wide.body.items).toHaveLength(2);
    const other = await server.get(`/webhooks/dashboard?projectId=${foreign.id}`, { bearer: owner.bearer });
    expect(other.status).toBe(404);
  });
});

it('the dashboard returns the age of the oldest waiting delivery and the last day in steps', async () => {
  const { project, owner } = await makeProject();
  const subscription = await makeSubscription(project.id, { url: inside });
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
  const { items } = (await server.get<{ items: Item[] }>(`/webhooks/dashboard?projectId=${project.id}`, owner)).body;
  expect(items[0]?.oldestAt).toBe(oldest.toISOString());
  expect(items[0]?.timeline).toHaveLength(24);
  expect(items[0]?.timeline.at(-1)).toMatchObject({ delivered: 1, failed: 1 });
  expect(items[0]?.timeline.slice(0, -1).every((step) => step.delivered + step.failed === 0)).toBe(true);
});
