import { afterEach, expect, test } from 'vitest';
import { env } from '@/env';
import { db } from '@/server/db';
import { makeTournament, makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';
import { injector, setupAntiCheat } from './anticheat.fixture';

const server = setupTestServer();
const defaults = { ...env };
afterEach(() => void Object.assign(env, defaults));

type Item = {
  id: string;
  running: boolean;
  deviceName: string | null;
  projectName: string;
  lastReportAt: string | null;
};
type Page = { items: Item[]; total: number; maxClients: number };

test('a player enrolls, sees, rotates and revokes their own clients', async () => {
  const { project, player, enroll } = await setupAntiCheat(server);
  const client = await enroll();
  expect(client.token).toMatch(/^lac_[\w-]{43}$/);
  const stored = await db.antiCheatClient.findUniqueOrThrow({ where: { id: client.id } });
  expect(JSON.stringify({ ...stored, lastSequence: 0 })).not.toContain(client.token);
  await client.beat();
  const listed = await server.get<Page>('/anti-cheat/clients', player);
  expect(listed.body).toMatchObject({
    total: 1,
    maxClients: 20,
    items: [{ id: client.id, running: true, projectName: project.name, lastReportAt: null }],
  });
  await client.report(injector(1));
  const [reported] = (await server.get<Page>('/anti-cheat/clients', player)).body.items;
  expect(Date.parse(reported?.lastReportAt ?? '')).toBeGreaterThan(Date.now() - 60_000);

  const rotated = await server.post<{ clientToken: string }>(`/anti-cheat/clients/${client.id}/rotate`, player);
  expect(await client.beat()).toMatchObject({ status: 401 });
  const bearer = `Bearer ${rotated.body.clientToken}`;
  expect(await server.post('/anti-cheat/clients/me/heartbeat', { bearer })).toMatchObject({ status: 200 });

  const stranger = await makeUser();
  for (const call of [
    server.post(`/anti-cheat/clients/${client.id}/rotate`, stranger),
    server.delete(`/anti-cheat/clients/${client.id}`, stranger),
  ]) {
    expect(await call).toMatchObject({ status: 404 });
  }
  expect(await server.delete(`/anti-cheat/clients/${client.id}`, player)).toMatchObject({ status: 200 });
  expect(await server.delete(`/anti-cheat/clients/${client.id}`, player)).toMatchObject({ status: 404 });
  expect(await server.post('/anti-cheat/clients/me/heartbeat', { bearer })).toMatchObject({ status: 401 });
  expect((await server.get<Page>('/anti-cheat/clients', player)).body.items).toEqual([]);
  const audit = await db.auditEntry.findMany({ where: { targetId: client.id }, orderBy: { id: 'asc' } });
  // The log of the project is not for what anybody may do.
  expect(audit.map(({ projectId, action }) => [projectId, action])).toEqual([
    [null, 'anti_cheat_client.enroll'],
    [null, 'anti_cheat_client.rotate'],
    [null, 'anti_cheat_client.revoke'],
  ]);
});

test('a stranger can enroll once the project has published something, and learns nothing before', async () => {
  const { project } = await setupAntiCheat(server);
  const stranger = await makeUser();
  const enroll = (projectId: string) =>
    server.post('/anti-cheat/clients', { bearer: stranger.bearer, body: { projectId } });
  const [unknown, hidden] = [await enroll('prj_00000000000000000000000000'), await enroll(project.id)];
  expect(hidden).toMatchObject({ status: 404, body: { message: unknown.body.message } });
  await makeTournament(project.id, { visibility: 'private' });
  expect(await enroll(project.id)).toMatchObject({ status: 404 });
  await makeTournament(project.id);
  expect(await enroll(project.id)).toMatchObject({ status: 201 });
});

test('enrolling at once does not pass the limit', async () => {
  env.ANTI_CHEAT_CLIENTS_PER_USER = 4;
  const { project, player } = await setupAntiCheat(server);
  const body = { projectId: project.id };
  const answers = await Promise.all(
    Array.from({ length: 16 }, () => server.post('/anti-cheat/clients', { bearer: player.bearer, body })),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(4);
  expect(answers.filter(({ status, reason }) => status === 409 && reason === 'QUOTA_EXCEEDED')).toHaveLength(12);
});

test('enrolling and revoking in turns does not fill the audit log', async () => {
  env.ANTI_CHEAT_ENROLLMENTS_PER_USER_PER_DAY = 3;
  const { project, player } = await setupAntiCheat(server);
  const enroll = () =>
    server.post<{ id: string }>('/anti-cheat/clients', { bearer: player.bearer, body: { projectId: project.id } });
  const [first, second] = [await enroll(), await enroll()];
  expect(await server.post(`/anti-cheat/clients/${second.body.id}/rotate`, player)).toMatchObject({ status: 200 });
  expect(await server.delete(`/anti-cheat/clients/${first.body.id}`, player)).toMatchObject({ status: 200 });
  const written = await db.auditEntry.count({ where: { projectId: project.id } });
  expect(await enroll()).toMatchObject({ status: 429, reason: 'QUOTA_EXCEEDED' });
  const again = await server.post(`/anti-cheat/clients/${second.body.id}/rotate`, player);
  expect(again).toMatchObject({ status: 429, reason: 'QUOTA_EXCEEDED' });
  expect(await db.auditEntry.count({ where: { projectId: project.id } })).toBe(written);
  expect(await db.antiCheatClient.count({ where: { userId: player.id } })).toBe(2);
});
