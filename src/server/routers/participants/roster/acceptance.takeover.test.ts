import { expect, test } from 'vitest';
import { signAccessToken } from '@/server/auth/bearer';
import { db } from '@/server/db';
import { takeOver as takeOverAccount } from '@/server/routers/auth/data-takeover';
import { playOut } from '@/server/routers/matches/matches.fixture';
import { rebuildStats } from '@/server/routers/matches/stats/data-rebuild';
import { makeTeam, makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';
import { hostTeam, hostTournament, refusalOf, teamOf } from '@/test/tournaments';

const api = setupTestServer();

const accept = (path: string, bearer: string) => api.post(`${path}/registrations/me/accept`, { bearer });
const leave = (path: string, bearer: string) => api.post(`${path}/registrations/me/leave`, { bearer });

/** Gives an account to the owner of its address. @returns the Bearer value of the owner */
async function takeOver(id: string): Promise<string> {
  await db.$transaction((tx) => takeOverAccount(tx, id, '203.0.113.9'));
  return `Bearer ${await signAccessToken(await db.user.findUniqueOrThrow({ where: { id } }))}`;
}

const teams = { teamSize: 2, rosterMin: 2, rosterMax: 3, waitlistEnabled: true, maxParticipants: 2 };

test('who leaves a registration that was rejected does not register again until staff remove it', async () => {
  const cup = await hostTournament(api, { ...teams, requiresApproval: true });
  const { path, organizer } = cup;
  const [owner, mate, other] = [await makeUser(), await makeUser(), await makeUser()];
  const { body } = await cup.register(owner.bearer, teamOf(owner, [mate], 'Foxes'));
  await accept(path, mate.bearer);
  const reject = () => api.patch(`${path}/registrations/${body.id}/reject`, { ...organizer, body: {} });
  expect((await reject()).status).toBe(200);
  const bearer = await takeOver(owner.id);
  const again = () => cup.register(bearer, teamOf(owner, [other], 'Bears'));
  expect(refusalOf(await again())).toEqual([409, 'REGISTRATION_REJECTED']);
  expect((await leave(path, bearer)).body).toMatchObject({ participantId: body.id, left: true });
  const left = await db.participant.findUniqueOrThrow({
    where: { id: body.id },
    include: { roster: { orderBy: { role: 'asc' } } },
  });
  expect(left).toMatchObject({ userId: null, name: 'Foxes', registrationStatus: 'rejected' });
  expect(left.roster).toMatchObject([
    { userId: null, name: owner.name, role: 'captain', acceptedAt: null },
    { userId: mate.id, role: 'player' },
  ]);
  expect(refusalOf(await again())).toEqual([409, 'REGISTRATION_REJECTED']);
  // Elsewhere, and for the players of the team, it says nothing.
  const elsewhere = await hostTournament(api, { ...teams, requiresApproval: true });
  expect((await elsewhere.register(bearer, teamOf(owner, [other]))).status).toBe(201);
  expect((await cup.register(other.bearer, teamOf(other, [await makeUser()], 'Wolves'))).status).toBe(201);
  expect((await api.delete(`${path}/participants/${body.id}`, organizer)).status).toBe(200);
  const registered = await cup.register(bearer, teamOf(owner, [await makeUser()], 'Bears'));
  expect(registered.status, registered.text).toBe(201);
});

test('who leaves a registration that was disqualified does not register again until staff reinstate it', async () => {
  const cup = await hostTournament(api, teams);
  const { path, organizer } = cup;
  const [owner, rival] = [await makeUser(), await makeUser()];
  const { body } = await cup.register(owner.bearer, teamOf(owner, [await makeUser()], 'Foxes'));
  await cup.register(rival.bearer, teamOf(rival, [await makeUser()], 'Rivals'));
  const decide = (action: string) =>
    api.post(`${path}/participants/${body.id}/${action}`, { ...organizer, body: { reason: 'Smurfing' } });
  expect((await decide('disqualify')).status).toBe(200);
  let bearer = await takeOver(owner.id);
  expect((await leave(path, bearer)).body).toMatchObject({ participantId: body.id, left: true });
  expect(await cup.taken()).toBe(1);
  const again = () => makeUser().then((mate) => cup.register(bearer, teamOf(owner, [mate], 'Wolves')));
  expect(refusalOf(await again())).toEqual([409, 'REGISTRATION_REJECTED']);
  expect((await decide('reinstate')).status).toBe(200);
  expect((await again()).status).toBe(201);
  bearer = await takeOver(owner.id);
  expect((await leave(path, bearer)).status).toBe(200);
  expect((await cup.mine(bearer)).body.registrationStatus).toBe('cancelled');
  expect((await again()).status).toBe(201);
});

test('a disqualification of who took over a place is not of who left it', async () => {
  const cup = await hostTournament(api);
  const { path, organizer } = cup;
  const [owner, next] = [await makeUser(), await makeUser()];
  const { body } = await cup.register(owner.bearer);
  const decide = (action: string) =>
    api.post(`${path}/participants/${body.id}/${action}`, { ...organizer, body: { reason: 'Smurfing' } });
  expect((await decide('disqualify')).status).toBe(200);
  const bearer = await takeOver(owner.id);
  expect((await leave(path, bearer)).status).toBe(200);
  expect((await decide('reinstate')).status).toBe(200);
  const link = await api.post<{ token: string }>(`${path}/participants/${body.id}/claim-link`, organizer);
  const claimed = await api.post('/claims/accept', { bearer: next.bearer, body: { token: link.body.token } });
  expect(claimed.status, claimed.text).toBe(200);
  expect((await decide('disqualify')).status).toBe(200);
  const registered = await cup.register(bearer);
  expect(registered.status, registered.text).toBe(201);
});

test('whom staff imported and disqualified does not register again, but who only was made a captain does', async () => {
  const cup = await hostTournament(api);
  const player = await makeUser();
  const { organizer } = cup;
  const body = { csv: `email\n${player.email}\n` };
  expect((await api.post(`${cup.path}/participants/import`, { ...organizer, body })).status).toBe(200);
  const { id } = (await cup.mine(player.bearer)).body;
  const reason = { reason: 'Smurfing' };
  expect((await api.post(`${cup.path}/participants/${id}/disqualify`, { ...organizer, body: reason })).status).toBe(
    200,
  );
  expect((await leave(cup.path, player.bearer)).status).toBe(200);
  expect(refusalOf(await cup.register(player.bearer))).toEqual([409, 'REGISTRATION_REJECTED']);

  const { path, participantId, captain, mate, outsider, register, ...host } = await hostTeam(api);
  await makeTeam(captain, [outsider]);
  const staff = `${path}/participants/${participantId}`;
  const substitution = { replacedUserId: captain.id, substituteUserId: outsider.id, ...reason };
  const substituted = await api.post(`${staff}/substitute`, { bearer: host.organizer.bearer, body: substitution });
  expect(substituted.status, substituted.text).toBe(200);
  const out = await api.post(`${staff}/disqualify`, { bearer: host.organizer.bearer, body: reason });
  expect(out.status).toBe(200);
  for (const { bearer } of [outsider, mate]) expect((await leave(path, bearer)).status).toBe(200);
  expect((await register(outsider.bearer, teamOf(outsider, [mate], 'Bears'))).status).toBe(201);
});

test('the players of a captain who leaves as one who never agreed play on', async () => {
  const { id, path, project, organizer, moderator, participantId, captain, mate, register } = await hostTeam(api);
  await accept(path, mate.bearer);
  const rival = await makeUser();
  await register(rival.bearer, teamOf(rival, [await makeUser()], 'Rivals'));
  expect((await api.post(`${path}/start`, { bearer: organizer.bearer })).status).toBe(200);
  expect(refusalOf(await leave(path, captain.bearer))).toEqual([409, 'INVALID_STATE']);
  expect((await leave(path, await takeOver(captain.id))).status).toBe(200);
  await playOut(api, { tournamentId: id, moderator });
  const figures = async () => {
    const rows = await db.playerStats.findMany({ where: { projectId: project.id }, orderBy: { userId: 'asc' } });
    return rows.map(({ userId, matches, placements }) => ({ userId, matches, placements }));
  };
  const kept = await figures();
  expect(kept.map(({ userId }) => userId)).toContain(mate.id);
  expect(kept.map(({ userId }) => userId)).not.toContain(captain.id);
  await rebuildStats();
  expect(await figures()).toEqual(kept);
  const { body } = await api.get<{ items: { id: string; roster: object[] }[] }>(`${path}/participants`);
  expect(body.items.find((one) => one.id === participantId)?.roster[0]).toEqual({
    ...{ userId: null, name: captain.name, role: 'captain' },
  });
});
