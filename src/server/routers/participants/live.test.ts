import { expect, test } from 'vitest';
import { newId } from '@/domain/ids';
import { db } from '@/server/db';
import { announce } from '@/server/events/live';
import { makeProject, makeTournament, makeUser } from '@/test/factories';
import { follow } from '@/test/live';
import { setupTestServer } from '@/test/server';
import { hostTournament, teamOf } from '@/test/tournaments';

const api = setupTestServer();

const look = (bearer?: string) => follow(`${api.url}/api/trpc/participants.live`, bearer);

test('players get notices about their tournaments and no others', async () => {
  const { project } = await makeProject();
  const [entered, later, foreign] = await Promise.all([1, 2, 3].map(() => makeTournament(project.id)));
  const [player, other] = [await makeUser(), await makeUser()];
  const register = (id: string | undefined, bearer: string) =>
    api.post(`/tournaments/${id}/participants/register`, { bearer });
  await register(entered?.id, player.bearer);

  const page = await look(player.bearer);
  await page.until('live.resumed');
  await register(foreign?.id, other.bearer);
  await register(entered?.id, other.bearer);
  await page.until(entered?.id ?? '');
  await register(later?.id, player.bearer);
  await page.until(later?.id ?? '');
  expect(page.text()).not.toContain(foreign?.id);
  expect(page.text()).not.toContain(other.id);
});

test('a tournament where others named a player is followed once the player agrees', async () => {
  const cup = await hostTournament(api, { teamSize: 2, rosterMin: 2, rosterMax: 2 });
  const [named, captain, own] = [await makeUser(), await makeUser(), await hostTournament(api)];
  await cup.register(captain.bearer, teamOf(captain, [named], 'Duo'));
  await own.register(named.bearer);
  // Registered by staff, without having agreed.
  const imported = await hostTournament(api, { requiresApproval: true });
  const { id } = (await imported.register(named.bearer)).body;
  await db.participant.update({ where: { id }, data: { acceptedAt: null } });
  const page = await look(named.bearer);
  await page.until('live.resumed');
  await api.trpc(imported.organizer.bearer).participants.bulk.mutate({
    ...{ tournamentId: imported.id, action: 'approve', participantIds: [id] },
  });
  const change = ({ path, organizer }: typeof cup, name: string) =>
    api.patch(path, { bearer: organizer.bearer, body: { name } });
  for (const renamed of [imported, cup, own]) await change(renamed, 'Renamed');
  // What comes after it on the same stream.
  await page.until(own.id);
  for (const named of [cup, imported]) expect(page.text()).not.toContain(named.id);
  await api.post(`${cup.path}/registrations/me/accept`, { bearer: named.bearer });
  await page.until('acceptance.changed');
  await change(cup, 'Renamed again');
  await expect.poll(() => page.text().split(cup.id).length).toBeGreaterThan(2);
});

test('a player whom staff removes reads again, and hears no more of the tournament', async () => {
  const [cup, own] = [await hostTournament(api), await hostTournament(api)];
  const [player, other] = [await makeUser(), await makeUser()];
  const { id } = (await cup.register(player.bearer)).body;
  const page = await look(player.bearer);
  await page.until('live.resumed');
  await api.trpc(cup.organizer.bearer).participants.bulk.mutate({
    ...{ tournamentId: cup.id, action: 'remove', participantIds: [id] },
  });
  await expect.poll(() => page.text().split('live.resumed')).toHaveLength(3);
  await cup.register(other.bearer);
  // What comes after it on the same stream.
  await own.register(player.bearer);
  await page.until(own.id);
  expect(page.text().slice(page.text().lastIndexOf('live.resumed'))).not.toContain(cup.id);
});

test('players who have left a private tournament hear no more of it', async () => {
  const { id, path, register, owner, organizer } = await hostTournament(api);
  const [player, other] = [await makeUser(), await makeUser()];
  await register(player.bearer);
  await api.patch(path, { bearer: organizer.bearer, body: { visibility: 'private' } });
  const own = await look(player.bearer);
  await own.until('live.resumed');
  await api.patch(path, { bearer: organizer.bearer, body: { name: 'Spring Cup' } });
  await own.until('tournament.updated');

  await api.post(`${path}/registrations/me/cancel`, { bearer: player.bearer });
  await own.until('participant.withdrawn');
  await register(owner.bearer);
  // What comes after it on the same stream.
  const open = await hostTournament(api);
  await open.register(player.bearer);
  await own.until(open.id);
  const heard = own.text().slice(own.text().indexOf('participant.withdrawn'));
  expect(heard.split(id)).toHaveLength(2);
  expect(heard.split('live.resumed')).toHaveLength(2);

  await api.post(`${open.path}/registrations/me/cancel`, { bearer: player.bearer });
  await open.register(other.bearer);
  await expect.poll(() => own.text().split('participant.registered')).toHaveLength(3);
});

test('of more than two hundred tournaments, the page follows those registered in last', async () => {
  const { project, owner } = await makeProject();
  const cups = await Promise.all(Array.from({ length: 201 }, () => makeTournament(project.id)));
  const player = await makeUser();
  const [oldest = '', second = '', ...others] = cups.map(({ id }) => id);
  const [latest = ''] = others.splice(-1);
  await db.participant.createMany({
    data: [oldest, second, ...others].map((tournamentId, index) => ({
      ...{ id: newId('prt'), tournamentId, userId: player.id, name: 'Player', acceptedAt: new Date() },
      ...{ registeredAt: new Date(Date.now() - 1_000_000 + index), registrationStatus: 'approved' as const },
    })),
  });
  const page = await look(player.bearer);
  await page.until('live.resumed');
  const rename = (id: string, name: string) =>
    api.patch(`/tournaments/${id}`, { bearer: owner.bearer, body: { name } });
  await rename(oldest, 'First Cup');
  await page.until(oldest);
  await api.post(`/tournaments/${latest}/participants/register`, { bearer: player.bearer });
  await page.until(latest);
  await rename(oldest, 'Oldest Cup');
  await rename(second, 'Second Cup');
  await page.until(second);
  expect(page.text().slice(page.text().indexOf(latest))).not.toContain(oldest);
});

test('anonymous callers are refused', async () => {
  const page = await look();
  await page.until('UNAUTHENTICATED');
});

test('the subscription ends when the user is signed out everywhere', async () => {
  const { project } = await makeProject();
  const { id } = await makeTournament(project.id);
  const [player, other] = [await makeUser(), await makeUser()];
  await api.post(`/tournaments/${id}/participants/register`, { bearer: player.bearer });
  const page = await look(player.bearer);
  await page.until('live.resumed');
  expect((await api.post('/me/sign-out-everywhere', { bearer: player.bearer })).status).toBe(200);
  await api.post(`/tournaments/${id}/participants/register`, { bearer: other.bearer });
  await page.until('INVALID_ACCESS_TOKEN');
  expect(page.text()).not.toContain('participant.registered');
});

test('what happens within a second of a notice is one notice of each kind', async () => {
  const cup = await hostTournament(api);
  const player = await makeUser();
  await cup.register(player.bearer);
  const page = await look(player.bearer);
  await page.until('live.resumed');
  const tell = (type: string) =>
    announce([
      {
        ...{ id: newId('evt'), type, projectId: cup.project.id, tournamentId: cup.id, userId: null },
        ...{ aggregateType: 'match', aggregateId: newId('mat') },
      },
    ]);
  const began = performance.now();
  tell('match.ready');
  await page.until('match.ready');
  for (let count = 0; count < 10; count += 1) {
    tell('match.started');
    await api.call('GET', '/healthz');
  }
  tell('match.completed');
  await page.until('match.completed');
  const seconds = Math.ceil((performance.now() - began) / 1_000);
  expect(page.text().split('match.started').length - 1).toBeLessThanOrEqual(seconds);
});
