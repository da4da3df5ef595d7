import { expect, test } from 'vitest';
import { db } from '@/server/db';
import { makeMember, makeProject, makeSubscription } from '@/test/factories';
import { until } from '@/test/receiver';
import { setupTestServer } from '@/test/server';

const api = setupTestServer();

/** A key that was just used may be remembered this long; the requests that ask take time too. */
const revokedWithinMs = 5_000;

/** An enterprise project with an admin who made two API keys and a webhook. */
async function setup() {
  const { project, owner } = await makeProject({ plan: 'enterprise' });
  const admin = await makeMember(project.id, 'ADMIN');
  const base = `/projects/${project.id}`;
  const create = async (bearer: string, name: string) => {
    const body = { name, scopes: ['read:tournaments'] };
    const { body: made } = await api.post<{ id: string; key: string }>(`${base}/developer/api-keys`, { bearer, body });
    return made;
  };
  const keys = [await create(admin.bearer, 'Overlay'), await create(admin.bearer, 'Site')] as const;
  const owners = await create(owner.bearer, 'Archive');
  const { id: webhookId } = await makeSubscription(project.id, { url: 'https://hooks.test/a', createdById: admin.id });
  return {
    ...{ project, owner, admin, base, keys, owners, webhookId },
    works: async ({ key }: { key: string }) => (await api.get('/data/tournaments', { apiKey: key })).status === 200,
    remove: (bearer: string, query = '') => api.delete(`${base}/members/${admin.id}${query}`, { bearer }),
    revoked: () =>
      db.auditEntry.findMany({
        where: { projectId: project.id, action: 'api_key.revoke' },
        select: { actorId: true, details: true },
        orderBy: { details: 'asc' },
      }),
  };
}

test('the API keys of a member who is removed stop working, and the audit log says so', async () => {
  const { owner, admin, keys, owners, works, remove, revoked, webhookId } = await setup();
  expect(await Promise.all([...keys, owners].map(works))).toEqual([true, true, true]);
  expect((await remove(owner.bearer)).body).toEqual({ userId: admin.id, removed: true });
  for (const key of keys) await until(async () => !(await works(key)), revokedWithinMs);
  expect(await works(owners)).toBe(true);
  const by = { actorId: owner.id };
  expect(await revoked()).toEqual([
    { ...by, details: { name: 'Overlay' } },
    { ...by, details: { name: 'Site' } },
  ]);
  expect(await db.webhookSubscription.findUnique({ where: { id: webhookId } })).toMatchObject({ status: 'active' });
});

test('API keys stay if the remover says so', async () => {
  const { owner, keys, works, remove, revoked } = await setup();
  expect((await remove(owner.bearer, '?revokeKeys=nonsense')).status).toBe(400);
  expect((await remove(owner.bearer, '?revokeKeys=false')).status).toBe(200);
  expect(await Promise.all(keys.map(works))).toEqual([true, true]);
  expect(await revoked()).toEqual([]);
});

test('an admin who leaves takes their keys along; who has lost that role cannot', async () => {
  for (const query of ['', '?revokeKeys=false']) {
    const leaving = await setup();
    expect((await leaving.remove(leaving.admin.bearer, query)).status).toBe(200);
    for (const key of leaving.keys) await until(async () => !(await leaving.works(key)), revokedWithinMs);
  }
  const stepping = await setup();
  const own = `${stepping.base}/members/${stepping.admin.id}`;
  await api.patch(own, { bearer: stepping.admin.bearer, body: { role: 'MEMBER', revokeKeys: false } });
  for (const key of stepping.keys) await until(async () => !(await stepping.works(key)), revokedWithinMs);

  const demoted = await setup();
  const path = `${demoted.base}/members/${demoted.admin.id}`;
  await api.patch(path, { bearer: demoted.owner.bearer, body: { role: 'MEMBER', revokeKeys: false } });
  expect((await demoted.remove(demoted.admin.bearer)).status).toBe(200);
  expect(await Promise.all(demoted.keys.map(demoted.works))).toEqual([true, true]);
});

test('the API keys of an admin who is demoted stop working, unless the new role manages keys', async () => {
  const { project, owner, admin, base, keys, owners, works, revoked } = await setup();
  const change = (role: string) => api.patch(`${base}/members/${admin.id}`, { bearer: owner.bearer, body: { role } });
  expect((await change('OWNER')).status).toBe(200);
  expect((await change('ADMIN')).status).toBe(200);
  expect(await Promise.all(keys.map(works))).toEqual([true, true]);
  expect((await change('MODERATOR')).status).toBe(200);
  for (const key of keys) await until(async () => !(await works(key)), revokedWithinMs);
  expect(await works(owners)).toBe(true);
  expect((await revoked()).map(({ actorId }) => actorId)).toEqual([owner.id, owner.id]);
  expect(await db.apiKey.count({ where: { projectId: project.id, revokedAt: null } })).toBe(1);
});

test('the dashboard shows owners and admins what a member made', async () => {
  const { project, owner, admin, keys, webhookId } = await setup();
  const made = (bearer: string, userId: string) =>
    api.trpc(bearer).projects.members.made.query({ projectId: project.id, userId });
  const found = await made(owner.bearer, admin.id);
  expect(found.apiKeys.map(({ id }) => id).sort()).toEqual(keys.map(({ id }) => id).sort());
  expect(found.webhooks).toEqual([{ id: webhookId, url: 'https://hooks.test/a' }]);
  expect(JSON.stringify(found)).not.toContain(keys[0].key);
  const moderator = await makeMember(project.id, 'MODERATOR');
  const { owner: stranger } = await makeProject();
  await expect(made(moderator.bearer, admin.id)).rejects.toMatchObject({ data: { reason: 'FORBIDDEN' } });
  await expect(made(stranger.bearer, admin.id)).rejects.toMatchObject({ data: { reason: 'NOT_FOUND' } });
});
