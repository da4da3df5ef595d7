import { expect, test } from 'vitest';
import { db } from '@/server/db';
import { makeAntiCheatClient, makeProject, makeTournament, makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';

const server = setupTestServer();

const minute = 60_000;

/** A registered player in a tournament that requires anti-cheat, with check-in open. */
async function setup(data: { gameId?: string } = {}) {
  const { project, owner } = await makeProject();
  const tournament = await makeTournament(project.id, {
    requiresAntiCheat: true,
    checkInOpensAt: new Date(Date.now() - minute),
    ...data,
  });
  const player = await makeUser();
  const { body } = await server.post<{ id: string }>(`/tournaments/${tournament.id}/participants/register`, player);
  const checkIn = () => server.post(`/tournaments/${tournament.id}/participants/checkin/me`, player);
  return { project, owner, tournament, player, participantId: body.id, checkIn };
}

test('checking in needs a running client', async () => {
  const { project, player, checkIn } = await setup();
  expect(await checkIn()).toMatchObject({ status: 412, reason: 'ANTI_CHEAT_NOT_RUNNING' });
  await makeAntiCheatClient(project.id, player.id, { heardSecondsAgo: null });
  await makeAntiCheatClient(project.id, player.id, { heardSecondsAgo: 61 });
  await makeAntiCheatClient(project.id, player.id, { revokedAt: new Date() });
  expect(await checkIn()).toMatchObject({ status: 412, reason: 'ANTI_CHEAT_NOT_RUNNING' });
  await makeAntiCheatClient(project.id, player.id);
  expect(await checkIn()).toMatchObject({ status: 200, body: { status: 'checked_in' } });
});

test("another project's or another player's client does not count", async () => {
  const { project, player, checkIn } = await setup();
  const elsewhere = await makeProject();
  await makeAntiCheatClient(elsewhere.project.id, player.id);
  await makeAntiCheatClient(project.id, (await makeUser()).id);
  expect(await checkIn()).toMatchObject({ status: 412, reason: 'ANTI_CHEAT_NOT_RUNNING' });
});

test('a client for another game does not count, because no session of the match covers it', async () => {
  const { project, player, checkIn } = await setup({ gameId: 'cs2' });
  await makeAntiCheatClient(project.id, player.id, { game: 'rl' });
  expect(await checkIn()).toMatchObject({ status: 412, reason: 'ANTI_CHEAT_NOT_RUNNING' });
  await makeAntiCheatClient(project.id, player.id, { game: 'cs2' });
  expect(await checkIn()).toMatchObject({ status: 200, body: { status: 'checked_in' } });
});

test('in a game that clients cannot be enrolled for, one for any game counts, because sessions are for one of theirs', async () => {
  const { project, player, checkIn } = await setup({ gameId: 'cs2-wingman' });
  await makeAntiCheatClient(project.id, player.id, { game: 'cs2' });
  expect(await checkIn()).toMatchObject({ status: 200, body: { status: 'checked_in' } });
});

test('for a team, the player who checks it in needs the client', async () => {
  const { project } = await makeProject();
  const tournament = await makeTournament(project.id, {
    requiresAntiCheat: true,
    checkInOpensAt: new Date(Date.now() - minute),
    teamSize: 2,
    rosterMin: 2,
    rosterMax: 2,
  });
  const [captain, mate] = [await makeUser(), await makeUser()];
  const teamMembers = [
    { userId: captain.id, role: 'captain' },
    { userId: mate.id, role: 'player' },
  ];
  const path = `/tournaments/${tournament.id}/participants`;
  await server.post(`${path}/register`, { bearer: captain.bearer, body: { teamName: 'Owls', teamMembers } });
  await makeAntiCheatClient(project.id, mate.id);
  expect(await server.post(`${path}/checkin/me`, captain)).toMatchObject({ status: 412 });
  expect(await server.post(`${path}/checkin/me`, mate)).toMatchObject({ status: 200 });
});

test('organizers can check in players without a client', async () => {
  const { owner, tournament, participantId } = await setup();
  const path = `/tournaments/${tournament.id}/participants/${participantId}/checkin`;
  expect(await server.post(path, owner)).toMatchObject({ status: 200, body: { status: 'checked_in' } });
  expect(await db.antiCheatClient.count({ where: { projectId: tournament.projectId } })).toBe(0);
});
