import { expect, test } from 'vitest';
import type { TournamentUncheckedCreateInput } from '@/generated/prisma/models';
import { db } from '@/server/db';
import type { Registration } from '@/server/routers/participants/schema';
import { makeProject, makeTeam, makeTournament, makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';

type Refusal = { error: { issues?: { path: string; message: string }[] } };
type Entries = { items: { participantId: string; tournament: { id: string } }[]; total: number };

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
  const answer = await register(captain.bearer, { teamId: team.id });
  expect(answer.status).toBe(201);
  expect(answer.body).toMatchObject({ name: 'Night Owls', teamId: team.id, type: 'team' });
  expect(answer.body.roster.map(({ userId, role }) => [userId, role])).toEqual([
    [captain.id, 'captain'],
    [third.id, 'player'],
    [player.id, 'substitute'],
  ]);
  const entries = await api.get<Entries>(`/teams/${team.id}/tournaments`);
  expect(entries.body).toMatchObject({
    total: 1,
    items: [{ participantId: answer.body.id, tournament: { id: cup.id } }],
  });
});

test('its name and line-up may be said otherwise, with members of the team', async () => {
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
  const answer = await register(captain.bearer, {
    teamId: team.id,
    teamName: 'Owls B',
    teamMembers: [
      { userId: captain.id, role: 'captain' },
      { userId: player.id, role: 'player' },
    ],
  });
  expect(answer.body).toMatchObject({ name: 'Owls B', teamId: team.id });
  expect(answer.body.roster).toHaveLength(2);
});

test('what the team does later leaves the roster as it was', async () => {
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

test('only its captain registers it, and only as many as a roster takes', async () => {
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

test('a team is nothing to a tournament of individuals', async () => {
  const { captain, team, register } = await make({ teamSize: 1, rosterMin: 1, rosterMax: 1 });
  const answer = await register(captain.bearer, { teamId: team.id });
  expect(answer.body).toMatchObject({ type: 'individual', teamId: null, roster: [] });
});

test('its public list tells of public tournaments alone, and of approved entrants', async () => {
  const { cup, captain, team, register } = await make({ requiresApproval: true });
  const entered = async (visibility: 'public' | 'unlisted' | 'private') => {
    await db.tournament.update({ where: { id: cup.id }, data: { visibility } });
    return (await api.get<Entries>(`/teams/${team.id}/tournaments`)).body.total;
  };
  await register(captain.bearer, { teamId: team.id });
  expect(await entered('public')).toBe(0);
  await db.participant.updateMany({ where: { teamId: team.id }, data: { registrationStatus: 'approved' } });
  expect([await entered('public'), await entered('unlisted'), await entered('private')]).toEqual([1, 0, 0]);
  expect((await api.get('/teams/tem_nobody/tournaments')).status).toBe(404);
  expect((await api.get('/teams/tem_nobody/invitations', { bearer: captain.bearer })).status).toBe(404);
});
