import { expect, test } from 'vitest';
import { db } from '@/server/db';
import { makeMember, makeProject, makeTournament, makeUser } from '@/test/factories';
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
