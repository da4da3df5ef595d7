import { describe, expect, test } from 'vitest';
import type { TournamentUncheckedCreateInput } from '@/generated/prisma/models';
import { db } from '@/server/db';
import type { Registration } from '@/server/routers/participants/schema';
import { makeProject, makeTeam, makeTournament, makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';
import { hostTeam, hoursFromNow, refusalOf, teamOf } from '@/test/tournaments';

type Refusal = { error: { issues?: { path: string; message: string }[] } };
type TeamTournaments = { items: { participantId: string; tournament: { id: string } }[]; total: number };

const api = setupTestServer();

const forTwo = { teamSize: 2, rosterMin: 2, rosterMax: 3 };

async function make(data: Partial<TournamentUncheckedCreateInput> = {}) {
  const { project } = await makeProject();
  const cup = await makeTournament(project.id, { ...forTwo, ...data });
  const [captain, player, third] = await Promise.all([makeUser(), makeUser(), makeUser()]);
  const team = await makeTeam(captain, [player, third], { name: 'Night Owls' });
  const register = (bearer: string, body: object) =>
    api.post<Registration & Refusal>(`/tournaments/${cup.id}/participants/register`, { bearer, body });
  return { cup, captain, player, third, team, register };
}

test('a team registers with its name and members', async () => {
  const { cup, captain, player, third, team, register } = await make();
  await db.teamMember.update({
    where: { teamId_userId: { teamId: team.id, userId: player.id } },
    data: { role: 'substitute' },
  });
  const response = await register(captain.bearer, { teamId: team.id });
  expect(response.status).toBe(201);
  expect(response.body).toMatchObject({ name: 'Night Owls', teamId: team.id, type: 'team' });
  expect(response.body.roster.map(({ userId, role }) => [userId, role])).toEqual([
    [captain.id, 'captain'],
    [third.id, 'player'],
    [player.id, 'substitute'],
  ]);
  const tournaments = await api.get<TeamTournaments>(`/teams/${team.id}/tournaments`);
  expect(tournaments.body).toMatchObject({
    total: 1,
    items: [{ participantId: response.body.id, tournament: { id: cup.id } }],
  });
});

test('another name and roster may be sent, with members of the team', async () => {
  const { captain, player, team, register } = await make();
  const stranger = await makeUser();
  const teamMembers = [
    { userId: captain.id, role: 'captain' },
    { userId: stranger.id, role: 'player' },
  ];
  const refused = await register(captain.bearer, { teamId: team.id, teamMembers });
  expect(refused.body.error.issues).toEqual([
    { path: 'teamMembers.1.userId', message: 'This player is not a member of the team.' },
  ]);
  const response = await register(captain.bearer, {
    teamId: team.id,
    teamName: 'Owls B',
    teamMembers: [
      { userId: captain.id, role: 'captain' },
      { userId: player.id, role: 'player' },
    ],
  });
  expect(response.body).toMatchObject({ name: 'Owls B', teamId: team.id });
  expect(response.body.roster).toHaveLength(2);
});

test('later changes of the team do not change the roster', async () => {
  const { cup, captain, player, third, team, register } = await make();
  const { body } = await register(captain.bearer, { teamId: team.id });
  await api.delete(`/teams/${team.id}/members/${player.id}`, { bearer: player.bearer });
  await api.patch(`/teams/${team.id}`, { bearer: captain.bearer, body: { name: 'Renamed' } });
  await api.patch(`/teams/${team.id}/members/${third.id}`, { bearer: captain.bearer, body: { role: 'captain' } });
  await api.delete(`/teams/${team.id}`, { bearer: third.bearer });
  const mine = await api.get<Registration>(`/tournaments/${cup.id}/registrations/me`, { bearer: captain.bearer });
  expect(mine.body).toMatchObject({ id: body.id, name: 'Night Owls', teamId: team.id, isCaptain: true });
  expect(mine.body.roster).toEqual(body.roster);
  const other = await makeTournament(cup.projectId, forTwo);
  const again = await api.post<Refusal>(`/tournaments/${other.id}/participants/register`, {
    bearer: third.bearer,
    body: { teamId: team.id },
  });
  expect(again.body.error.issues?.[0]?.path).toBe('teamId');
});

test('only the captain can register it, and the roster limits apply', async () => {
  const { captain, player, team, register } = await make({ rosterMax: 2 });
  const outsider = await makeUser();
  for (const { bearer } of [player, outsider]) {
    expect((await register(bearer, { teamId: team.id })).body.error.issues).toEqual([
      { path: 'teamId', message: 'You are not the captain of this team.' },
    ]);
  }
  expect((await register(captain.bearer, { teamId: 'tem_none' })).status).toBe(400);
  const many = await register(captain.bearer, { teamId: team.id });
  expect(many.body.error.issues).toEqual([{ path: 'teamMembers', message: 'A roster has 2 players; this one has 3.' }]);
  expect(await db.participant.count({ where: { teamId: team.id } })).toBe(0);
});

test('a tournament for individuals ignores the team', async () => {
  const { captain, team, register } = await make({ teamSize: 1, rosterMin: 1, rosterMax: 1 });
  const response = await register(captain.bearer, { teamId: team.id });
  expect(response.body).toMatchObject({ type: 'individual', teamId: null, roster: [] });
});

describe('once rosters are locked, a team that cancelled registers again', () => {
  const locked = { rosterLockAt: hoursFromNow(-1) };

  test('with the players that it had, and with no others', async () => {
    const { captain, mate, outsider, team, set, register, cancel, edit, participantId } = await hostTeam(api);
    await set(locked);
    const changed = teamOf(captain, [mate, outsider]);
    expect(refusalOf(await edit(captain.bearer, changed))).toEqual([409, 'ROSTER_LOCKED']);
    expect((await cancel(captain.bearer)).status).toBe(200);
    for (const other of [changed, teamOf(captain, [mate])]) {
      expect(refusalOf(await register(captain.bearer, other))).toEqual([409, 'ROSTER_LOCKED']);
    }
    const again = await register(captain.bearer, team);
    expect([again.status, again.body.id]).toEqual([201, participantId]);
    expect(again.body.roster).toHaveLength(3);
  });

  test('also if it cancelled before, and with anybody where the lock is moved', async () => {
    const { captain, outsider, set, register, cancel } = await hostTeam(api);
    await cancel(captain.bearer);
    await set(locked);
    const changed = teamOf(captain, [outsider]);
    expect(refusalOf(await register(captain.bearer, changed))).toEqual([409, 'ROSTER_LOCKED']);
    await set({ rosterLockAt: hoursFromNow(1) });
    expect((await register(captain.bearer, changed)).status).toBe(201);
    await cancel(captain.bearer);
    await set(locked);
    expect((await register(captain.bearer, changed)).status).toBe(201);
  });

  test('while other teams still register for the first time', async () => {
    const { outsider, register } = await hostTeam(api, locked);
    expect((await register(outsider.bearer, teamOf(outsider, [await makeUser()]))).status).toBe(201);
  });
});
