import { describe, expect, it } from 'vitest';
import { newId } from '@/domain/ids';
import { db } from '@/server/db';
import { routeTable } from '@/server/http/rest/routes';
import { makeDeliveries } from '@/test/deliveries';
import { emitEvents, makeApiKey, makeMember, makeProject, makeSubscription, makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';

const server = setupTestServer();

const inside = 'http://127.0.0.1:9/hook';

/** Every route that manages webhooks, with a body and the status of an admin's successful call. */
const calls: Record<string, { body?: object; status: number; again?: number }> = {
  'POST /projects/{projectId}/developer/webhooks': { body: { url: inside, events: ['*'] }, status: 201 },
  'GET /projects/{projectId}/developer/webhooks': { status: 200 },
  'GET /webhooks/event-types': { status: 200 },
  'GET /webhooks/dashboard': { status: 200 },
  'GET /webhooks/subscriptions': { status: 200 },
  'GET /webhooks/subscriptions/{id}': { status: 200 },
  'PATCH /webhooks/subscriptions/{id}': { body: { description: 'Scores' }, status: 200 },
  'POST /webhooks/subscriptions/{id}/test': { status: 202 },
  'POST /webhooks/subscriptions/{id}/rotate-secret': { status: 200 },
  'POST /webhooks/subscriptions/{id}/reveal-secret': { status: 200 },
  'GET /webhooks/subscriptions/{id}/analytics': { status: 200 },
  'GET /webhooks/subscriptions/{id}/deliveries': { status: 200 },
  'GET /webhooks/subscriptions/{id}/deliveries/{deliveryId}': { status: 200 },
  'POST /webhooks/subscriptions/{id}/deliveries/{deliveryId}/replay': { status: 202 },
  'POST /webhooks/subscriptions/{id}/retry-failed': { status: 202 },
  'GET /webhooks/subscriptions/{id}/replay': { status: 200 },
  // No functions run here, so the first replay remains unfinished.
  'POST /webhooks/subscriptions/{id}/replay': { status: 202, again: 409 },
  'GET /webhooks/subscriptions/{id}/replays': { status: 200 },
  'GET /webhooks/subscriptions/{id}/replays/{replayId}': { status: 200 },
  'POST /webhooks/subscriptions/{id}/circuit-breaker/reset': { status: 200 },
  'POST /webhooks/subscriptions/{id}/pause': { status: 200 },
  'POST /webhooks/subscriptions/{id}/resume': { status: 200 },
  'DELETE /webhooks/subscriptions/{id}': { status: 200, again: 404 },
};
const namesProject = (route: string) => route.includes('{');
const namesSubscription = (route: string) => route.includes('/subscriptions/{id}');

type Ids = { projectId: string; id: string; deliveryId: string; replayId: string };

function call(route: string, ids: Ids, options: object) {
  const [method = '', pattern = ''] = route.split(' ');
  const path = pattern.replace(/\{(\w+)\}/g, (_, name: keyof Ids) => ids[name]);
  return server.call(method, path, { body: calls[route]?.body, ...options });
}

/** A project with a subscription that has a failed delivery and a finished replay. */
async function webhookOf(projectId: string, data: { ipWhitelist?: string[] } = {}): Promise<Ids> {
  const { id } = await makeSubscription(projectId, { url: inside, ...data });
  const [eventId = ''] = await emitEvents(projectId, 1);
  const [deliveryId = ''] = await makeDeliveries({ id, projectId }, [eventId], { status: 'failed' });
  const replayId = newId('whr');
  const done = { total: 1, done: 1, finishedAt: new Date(), createdById: newId('usr') };
  await db.webhookReplay.create({ data: { id: replayId, subscriptionId: id, projectId, filter: {}, ...done } });
  return { projectId, id, deliveryId, replayId };
}

it('covers every webhook route', () => {
  const known = routeTable.routes.filter(({ pattern }) => /^\/webhooks\b|\/developer\/webhooks/.test(pattern));
  expect(Object.keys(calls).sort()).toEqual(known.map(({ method, pattern }) => `${method} ${pattern}`).sort());
});

describe('permissions', () => {
  it.each(Object.keys(calls))('%s is for OWNER and ADMIN', async (route) => {
    const { project, owner } = await makeProject();
    const { owner: stranger, project: other } = await makeProject();
    const ids = await webhookOf(project.id);
    const { key } = await makeApiKey(project.id);
    const attempt = async (options: object) => {
      const answer = await call(route, ids, options);
      return [answer.status, answer.reason];
    };
    expect(await attempt({})).toEqual([401, 'UNAUTHENTICATED']);
    expect(await attempt({ apiKey: key })).toEqual([401, 'UNAUTHENTICATED']);
    for (const role of ['MEMBER', 'MODERATOR', 'ORGANIZER'] as const) {
      const { bearer } = await makeMember(project.id, role);
      expect(await attempt({ bearer })).toEqual([403, 'FORBIDDEN']);
    }
    const outside = await makeUser();
    if (namesProject(route)) {
      expect(await attempt({ bearer: stranger.bearer })).toEqual([404, 'NOT_FOUND']);
      expect(await attempt({ bearer: outside.bearer })).toEqual([404, 'NOT_FOUND']);
    } else {
      expect(await attempt({ bearer: outside.bearer })).toEqual([403, 'FORBIDDEN']);
      const { text } = await call(route, ids, { bearer: stranger.bearer });
      expect(text).not.toContain(ids.id);
    }
    // Ids of another project with a subscription of the caller's own.
    if (/deliveryId|replayId/.test(route)) {
      const own = await webhookOf(other.id);
      const mixed = { ...ids, id: own.id };
      expect((await call(route, mixed, { bearer: stranger.bearer })).status).toBe(404);
    }
    const before = await db.auditEntry.count({ where: { projectId: project.id } });
    const admin = await makeMember(project.id, 'ADMIN');
    expect((await call(route, ids, { bearer: admin.bearer })).status).toBe(calls[route]?.status);
    const after = await db.auditEntry.findMany({ where: { projectId: project.id }, orderBy: { createdAt: 'asc' } });
    const unaudited = route.startsWith('GET') || route.endsWith('/resume');
    expect(after.length - before).toBe(unaudited ? 0 : 1);
    if (!unaudited)
      expect(after.at(-1)).toMatchObject({ actorId: admin.id, action: expect.stringMatching(/^webhook\./) });
    const { status, again = status } = calls[route] ?? {};
    expect((await call(route, ids, { bearer: owner.bearer })).status).toBe(again);
  });
});

it('procedures without a REST route are for OWNER and ADMIN too', async () => {
  const { project } = await makeProject();
  const { owner: stranger } = await makeProject();
  const organizer = await makeMember(project.id, 'ORGANIZER');
  const { id } = await webhookOf(project.id);
  const asked = (bearer?: string) => {
    const webhooks = server.trpc(bearer).webhooks;
    return [webhooks.insight.query({ id }), webhooks.subscriptions.check.query({ projectId: project.id, url: inside })];
  };
  const reasons = [
    [undefined, 'UNAUTHENTICATED'],
    [stranger.bearer, 'NOT_FOUND'],
    [organizer.bearer, 'FORBIDDEN'],
  ] as const;
  for (const [bearer, reason] of reasons) {
    for (const query of asked(bearer)) await expect(query).rejects.toMatchObject({ data: { reason } });
  }
});

describe('an ipWhitelist', () => {
  it.each(Object.keys(calls).filter(namesSubscription))('closes %s to other addresses', async (route) => {
    const { project, owner } = await makeProject();
    const ids = await webhookOf(project.id, { ipWhitelist: ['203.0.113.0/24', '2001:db8::1'] });
    const refused = await call(route, ids, { bearer: owner.bearer });
    expect([refused.status, refused.reason]).toEqual([403, 'ADDRESS_NOT_ALLOWED']);
    const stranger = await makeUser();
    expect((await call(route, ids, { bearer: stranger.bearer })).status).toBe(404);
    await db.webhookSubscription.update({ where: { id: ids.id }, data: { ipWhitelist: ['127.0.0.0/8'] } });
    expect((await call(route, ids, { bearer: owner.bearer })).status).toBe(calls[route]?.status);
  });

  it('applies to tRPC and pages too, but not to lists and other subscriptions', async () => {
    const { project, owner } = await makeProject();
    const ids = await webhookOf(project.id, { ipWhitelist: ['203.0.113.7'] });
    const webhooks = server.trpc(owner.bearer).webhooks;
    const shut = { data: { reason: 'ADDRESS_NOT_ALLOWED' } };
    await expect(webhooks.subscriptions.read.query({ id: ids.id })).rejects.toMatchObject(shut);
    await expect(webhooks.insight.query({ id: ids.id })).rejects.toMatchObject(shut);
    expect((await webhooks.subscriptions.list.query({ page: 1, limit: 25 })).total).toBe(1);
    expect(await webhooks.ownAddress.query()).toEqual({ address: '127.0.0.1' });
  });
});
