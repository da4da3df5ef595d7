import { describe, expect, test } from 'vitest';
import { newId } from '@/domain/ids';
import { maxTeamMembers } from '@/domain/teams/forms';
import { day, minute } from '@/domain/time/durations';
import { db } from '@/server/db';
import { makeApiKey, makeProject, makeTeam, makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';

type Member = { userId: string; name: string; role: string };
type Team = { id: string; name: string; tag: string | null; version: number; members: Member[]; myRole: string | null };
type Page<T> = { items: T[]; total: number; hasNext: boolean };

const api = setupTestServer();

/** A team of a captain and two players, with someone outside it. */
async function makeCast() {
  const [captain, player, other, outsider] = await Promise.all([makeUser(), makeUser(), makeUser(), makeUser()]);
  const team = await makeTeam(captain, [player, other]);
  return { captain, player, other, outsider, team, path: `/teams/${team.id}` };
}

const captainsOf = (teamId: string) => db.teamMember.findMany({ where: { teamId, role: 'captain' } });

describe('a team', () => {
  test('can be created by anyone, who becomes its captain', async () => {
    const user = await makeUser({ name: 'Ada' });
    const made = await api.post<Team>('/teams', { bearer: user.bearer, body: { name: ' Night Owls ', tag: 'OWL' } });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ name: 'Night Owls', tag: 'OWL', version: 1, myRole: 'captain' });
    expect(made.body.members).toMatchObject([{ userId: user.id, name: 'Ada', role: 'captain' }]);
    expect(made.body.id).toMatch(/^tem_/);
    expect(await db.auditEntry.findMany({ where: { targetId: made.body.id } })).toMatchObject([
      { action: 'team.create', actorId: user.id, projectId: null },
    ]);
    // Names are no addresses: another team may have the same.
    expect((await api.post('/teams', { bearer: user.bearer, body: { name: 'Night Owls' } })).status).toBe(201);
    for (const body of [{}, { name: ' ' }, { name: 'A', tag: 'far too long' }, { name: 'x'.repeat(81) }]) {
      expect((await api.post('/teams', { bearer: user.bearer, body })).reason).toBe('VALIDATION_FAILED');
    }
    expect((await api.post('/teams', { body: { name: 'A' } })).status).toBe(401);
    const { key } = await makeApiKey((await makeProject()).project.id);
    expect((await api.post('/teams', { apiKey: key, body: { name: 'A' } })).status).toBe(401);
  });

  test('can be read by everyone, with names and without email addresses', async () => {
    const { captain, player, outsider, path } = await makeCast();
    const roles = await Promise.all(
      [captain, player, outsider].map(async ({ bearer }) => (await api.get<Team>(path, { bearer })).body.myRole),
    );
    expect(roles).toEqual(['captain', 'player', null]);
    const open = await api.get<Team>(path);
    expect(open.status).toBe(200);
    expect(open.body.members).toHaveLength(3);
    expect(open.text).not.toContain('@');
    const members = await api.get<Page<Member>>(`${path}/members?limit=2`);
    expect(members.body).toMatchObject({ total: 3, hasNext: true });
    expect(members.body.items[0]).toMatchObject({ userId: captain.id, role: 'captain' });
    expect((await api.get('/teams/tem_none')).status).toBe(404);
    expect((await api.get('/teams/tem_none/members')).status).toBe(404);
  });

  test('is listed only for its members', async () => {
    const { captain, player, outsider, team } = await makeCast();
    const second = await makeTeam(player);
    const list = async (bearer: string, query = '') => (await api.get<Page<Team>>(`/teams${query}`, { bearer })).body;
    expect((await list(player.bearer)).items.map(({ id }) => id)).toEqual([second.id, team.id]);
    expect((await list(player.bearer, '?role=captain')).items.map(({ id }) => id)).toEqual([second.id]);
    expect((await list(player.bearer, '?limit=1')).hasNext).toBe(true);
    expect(await list(captain.bearer)).toMatchObject({
      total: 1,
      items: [{ id: team.id, myRole: 'captain', memberCount: 3, captain: { userId: captain.id } }],
    });
    expect((await list(outsider.bearer)).total).toBe(0);
    expect((await api.get('/teams')).status).toBe(401);
  });

  test('can be changed by its captain, for the version they read', async () => {
    const { captain, team, path } = await makeCast();
    const patch = (body: object, headers?: Record<string, string>) =>
      api.patch<Team>(path, { bearer: captain.bearer, body, headers });
    expect((await patch({ name: 'One', tag: 'ONE' }, { 'If-Match': '"1"' })).body).toMatchObject({
      version: 2,
      tag: 'ONE',
    });
    expect((await patch({ name: 'Two' }, { 'If-Match': '"1"' })).reason).toBe('VERSION_MISMATCH');
    expect((await patch({ name: 'Two', version: 2 ** 40 })).reason).toBe('VERSION_MISMATCH');
    for (const name of ['\u200b', '\u3164', 'a\u202eb', 'a\nb']) expect((await patch({ name })).status).toBe(400);
    const both = await Promise.all([patch({ name: 'A', version: 2 }), patch({ name: 'B', version: 2 })]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 412]);
    expect((await patch({ tag: null })).body.tag).toBeNull();
    expect((await patch({ tag: 'x' })).status).toBe(400);
    expect((await db.team.findUniqueOrThrow({ where: { id: team.id } })).version).toBe(4);
  });

  test('can be disbanded and restored, with its members', async () => {
    const { captain, player, team, path } = await makeCast();
    const stale = { bearer: captain.bearer, headers: { 'If-Match': '"9"' } };
    expect((await api.delete(path, stale)).reason).toBe('VERSION_MISMATCH');
    expect((await api.delete<Team>(path, { bearer: captain.bearer })).body).toMatchObject({ id: team.id });
    expect((await api.delete(path, { bearer: captain.bearer })).reason).toBe('TEAM_DISBANDED');
    expect((await api.patch(path, { bearer: captain.bearer, body: { name: 'B' } })).reason).toBe('TEAM_DISBANDED');
    expect((await api.post(`${path}/members`, { bearer: captain.bearer })).reason).toBe('TEAM_DISBANDED');
    expect((await api.get<Page<Team>>('/teams', { bearer: player.bearer })).body.total).toBe(0);
    expect((await api.get<{ disbandedAt: string }>(path)).body.disbandedAt).toMatch(/Z$/);
    expect((await api.post(`${path}/restore`, { bearer: player.bearer })).status).toBe(403);
    expect((await api.post(`${path}/restore`, stale)).reason).toBe('VERSION_MISMATCH');
    expect((await api.post<Team>(`${path}/restore`, { bearer: captain.bearer })).body.members).toHaveLength(3);
    expect((await api.post(`${path}/restore`, { bearer: captain.bearer })).reason).toBe('INVALID_STATE');
  });

  test('can be restored for a week', async () => {
    const { captain, team, path } = await makeCast();
    const { bearer } = captain;
    const disbandedAgo = (age: number) =>
      db.team.update({ where: { id: team.id }, data: { disbandedAt: new Date(Date.now() - age) } });
    await disbandedAgo(7 * day + minute);
    const late = await api.post(`${path}/restore`, { bearer });
    expect([late.status, late.reason]).toEqual([409, 'INVALID_STATE']);
    await disbandedAgo(7 * day - minute);
    expect((await api.post(`${path}/restore`, { bearer })).status).toBe(200);
  });

  test('can be changed only by its captain, and not by the captain of another team', async () => {
    const { captain, player, other, outsider, team, path } = await makeCast();
    await makeTeam(outsider);
    const { key } = await makeApiKey((await makeProject()).project.id);
    const routes: [string, string, object?][] = [
      ['PATCH', path, { name: 'Taken over' }],
      ['DELETE', path],
      ['POST', `${path}/restore`],
      ['POST', `${path}/members`, { email: 'mallory@players.test' }],
      ['PATCH', `${path}/members/${player.id}`, { role: 'captain' }],
      ['DELETE', `${path}/members/${other.id}`],
      ['GET', `${path}/invitations`],
      ['DELETE', `${path}/invitations/tiv_none`],
    ];
    for (const [method, route, body] of routes) {
      for (const { bearer } of [player, outsider]) {
        expect((await api.call(method, route, { bearer, body })).status, `${method} ${route}`).toBe(403);
      }
      expect((await api.call(method, route, { body })).status).toBe(401);
      expect((await api.call(method, route, { apiKey: key, body })).status).toBe(401);
      const elsewhere = route.replace(team.id, 'tem_none');
      expect([403, 404]).toContain((await api.call(method, elsewhere, { bearer: captain.bearer, body })).status);
    }
    expect(await db.team.findUnique({ where: { id: team.id } })).toMatchObject({ version: 1, disbandedAt: null });
    expect(await db.teamInvitation.count({ where: { teamId: team.id } })).toBe(0);
    expect(await captainsOf(team.id)).toMatchObject([{ userId: captain.id }]);
  });
});

describe('members', () => {
  test('change roles, and the captain hands over the captaincy', async () => {
    const { captain, player, other, team, path } = await makeCast();
    const give = (userId: string, role: string, bearer = captain.bearer) =>
      api.patch<Member>(`${path}/members/${userId}`, { bearer, body: { role } });
    expect((await give(other.id, 'substitute')).body).toMatchObject({ userId: other.id, role: 'substitute' });
    expect((await give(captain.id, 'player')).reason).toBe('CAPTAIN_MUST_STAY');
    expect((await give('usr_none', 'player')).status).toBe(404);
    expect((await give(other.id, 'owner')).status).toBe(400);
    expect((await give(player.id, 'captain')).body.role).toBe('captain');
    const rows = await db.teamMember.findMany({ where: { teamId: team.id } });
    expect(Object.fromEntries(rows.map((row) => [row.userId, row.role]))).toEqual({
      [captain.id]: 'player',
      [player.id]: 'captain',
      [other.id]: 'substitute',
    });
    expect((await give(captain.id, 'captain')).status).toBe(403);
  });

  test('can leave or be removed by the captain; the captain cannot leave', async () => {
    const { captain, player, other, team, path } = await makeCast();
    const remove = (userId: string, bearer: string) => api.delete(`${path}/members/${userId}`, { bearer });
    expect((await remove(captain.id, captain.bearer)).reason).toBe('CAPTAIN_MUST_STAY');
    expect((await remove(captain.id, player.bearer)).status).toBe(403);
    expect((await remove(player.id, player.bearer)).status).toBe(200);
    expect((await remove(player.id, player.bearer)).status).toBe(404);
    expect((await remove(other.id, captain.bearer)).body).toMatchObject({ removed: true });
    expect(await db.teamMember.count({ where: { teamId: team.id } })).toBe(1);
  });

  test('have one captain, even when the captaincy is handed to two at the same time', async () => {
    const { captain, player, other, outsider, team, path } = await makeCast();
    const responses = await Promise.all(
      [player, other].map(({ id }) =>
        api.patch(`${path}/members/${id}`, { bearer: captain.bearer, body: { role: 'captain' } }),
      ),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 403]);
    expect(await captainsOf(team.id)).toHaveLength(1);
    // Whatever a program might do, the database keeps to one.
    await expect(
      db.teamMember.create({ data: { teamId: team.id, userId: outsider.id, role: 'captain' } }),
    ).rejects.toThrow();
  });

  test('have one captain, even when several changes run at the same time', async () => {
    const people = await Promise.all(Array.from({ length: 5 }, () => makeUser()));
    const [captain, ...players] = people;
    if (!captain) throw new Error('nobody');
    const team = await makeTeam(captain, players);
    const path = `/teams/${team.id}/members`;
    const moves = people.flatMap(({ bearer }) =>
      people.flatMap(({ id }) => [
        () => api.patch(`${path}/${id}`, { bearer, body: { role: 'captain' } }),
        () => api.patch(`${path}/${id}`, { bearer, body: { role: 'substitute' } }),
        () => api.delete(`${path}/${id}`, { bearer }),
      ]),
    );
    const statuses = new Set((await Promise.all(moves.map((move) => move()))).map(({ status }) => status));
    expect([...statuses].filter((status) => ![200, 403, 404, 409].includes(status))).toEqual([]);
    expect(await captainsOf(team.id)).toHaveLength(1);
  });

  test('cannot exceed the maximum', async () => {
    const captain = await makeUser();
    const team = await makeTeam(captain);
    const ids = Array.from({ length: maxTeamMembers - 1 }, () => newId('usr'));
    await db.user.createMany({ data: ids.map((id) => ({ id, name: 'Filler', email: `${id}@players.test` })) });
    const link = await api.post<{ url: string }>(`/teams/${team.id}/members`, { bearer: captain.bearer });
    await db.teamMember.createMany({
      data: ids.slice(1).map((userId) => ({ teamId: team.id, userId, role: 'player' })),
    });
    const token = link.body.url.split('/').at(-1);
    const [a, b] = await Promise.all([makeUser(), makeUser()]);
    const both = await Promise.all(
      [a, b].map(({ bearer }) => api.post('/team-invitations/accept', { bearer, body: { token } })),
    );
    expect(both.map(({ reason }) => reason).sort()).toEqual(['TEAM_FULL', undefined]);
    expect(await db.teamMember.count({ where: { teamId: team.id } })).toBe(maxTeamMembers);
    expect((await api.post(`/teams/${team.id}/members`, { bearer: captain.bearer })).reason).toBe('TEAM_FULL');
  });
});
