import { expect, test } from 'vitest';
import { db } from '@/server/db';
import { makeMember, makeParticipants, makeProject, makeTournament, makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';

const server = setupTestServer();

type Page = { items: { id: string; name: string; required: boolean }[]; total: number };
const listFor = async (caller: { bearer: string }, query = '') =>
  (await server.get<Page>(`/anti-cheat/projects${query}`, caller)).body;

test('the projects that a player plays in or belongs to are listed, those that require a client first', async () => {
  const [joined, asked, elsewhere] = await Promise.all([makeProject(), makeProject(), makeProject()]);
  await db.project.update({ where: { id: asked.project.id }, data: { name: 'Zephyr League' } });
  const player = await makeMember(joined.project.id, 'MEMBER');
  const tournament = await makeTournament(asked.project.id, { requiresAntiCheat: true });
  await makeTournament(elsewhere.project.id, { requiresAntiCheat: true });
  expect(await listFor(player)).toMatchObject({ items: [{ id: joined.project.id, required: false }], total: 1 });

  await server.post(`/tournaments/${tournament.id}/participants/register`, player);
  const expected = [
    { id: asked.project.id, name: 'Zephyr League', required: true },
    { id: joined.project.id, required: false },
  ];
  expect(await listFor(player)).toMatchObject({ items: expected, total: 2 });
  expect(await listFor(player, '?page=2&limit=1')).toMatchObject({ items: [expected[1]], total: 2 });

  await server.post(`/tournaments/${tournament.id}/registrations/me/cancel`, player);
  expect((await listFor(player)).items).toContainEqual(
    expect.objectContaining({ id: asked.project.id, required: false }),
  );
});

test('a roster player is asked too, and a project that nobody may know of stays hidden', async () => {
  const { project } = await makeProject();
  const [captain, mate, stranger] = await Promise.all([makeUser(), makeUser(), makeUser()]);
  const one = `?projectId=${project.id}`;
  expect(await listFor(stranger, one)).toMatchObject({ items: [], total: 0 });
  const size = { teamSize: 2, rosterMin: 2, rosterMax: 2 };
  const tournament = await makeTournament(project.id, { requiresAntiCheat: true, ...size });
  const teamMembers = [
    { userId: captain.id, role: 'captain' },
    { userId: mate.id, role: 'player' },
  ];
  await server.post(`/tournaments/${tournament.id}/participants/register`, {
    bearer: captain.bearer,
    body: { teamName: 'Owls', teamMembers },
  });
  for (const one of [captain, mate]) {
    expect(await listFor(one)).toMatchObject({ items: [{ id: project.id, required: true }], total: 1 });
  }
  expect(await listFor(stranger)).toMatchObject({ items: [], total: 0 });
  expect(await listFor(stranger, one)).toMatchObject({ items: [{ id: project.id, required: false }], total: 1 });
  expect(await server.get('/anti-cheat/projects')).toMatchObject({ status: 401 });
});

test('projects whose tournaments have only named a player come after their own, and are 25 at most', async () => {
  const [own, player, namer] = await Promise.all([makeProject(), makeUser(), makeUser()]);
  await db.project.update({ where: { id: own.project.id }, data: { name: 'Zebra League' } });
  const cup = await makeTournament(own.project.id, { requiresAntiCheat: true });
  await server.post(`/tournaments/${cup.id}/participants/register`, player);
  const named: string[] = [];
  for (let one = 0; one < 30; one += 1) {
    const { project } = await makeProject();
    await db.project.update({ where: { id: project.id }, data: { name: `AAA ${one}` } });
    const size = { teamSize: 2, rosterMin: 2, rosterMax: 2 };
    const tournament = await makeTournament(project.id, { requiresAntiCheat: true, ...size });
    const [participantId = ''] = await makeParticipants(tournament, 1);
    await db.rosterMember.create({
      data: {
        ...{ participantId, tournamentId: tournament.id, userId: player.id },
        ...{ role: 'player', acceptedAt: null, addedById: namer.id },
      },
    });
    named.push(project.id);
  }
  const { items, total } = await listFor(player, '?limit=100');
  expect([items[0], total]).toEqual([{ ...items[0], id: own.project.id, required: true }, 26]);
  expect(items.slice(1).every(({ id, required }) => required && named.includes(id))).toBe(true);
  // A link names any of them.
  const left = named.find((id) => items.every((item) => item.id !== id));
  expect(await listFor(player, `?projectId=${left}`)).toMatchObject({
    items: [{ id: left, required: true }],
    total: 1,
  });
});
