import { expect, test } from 'vitest';
import { signAccessToken } from '@/server/auth/bearer';
import { db } from '@/server/db';
import { takeOver as takeOverAccount } from '@/server/routers/auth/data-takeover';
import { playOut } from '@/server/routers/matches/matches.fixture';
import { rebuildStats } from '@/server/routers/matches/stats/data-rebuild';
import { makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';
import { hostTeam, hostTournament, refusalOf, teamOf } from '@/test/tournaments';

const api = setupTestServer();

const accept = (path: string, bearer: string) => api.post(`${path}/registrations/me/accept`, { bearer });
const leave = (path: string, bearer: string) => api.post(`${path}/registrations/me/leave`, { bearer });

/** Gives an account to the owner of its address. @returns the Bearer value of the owner */
async function takeOver(id: string): Promise<string> {
  await db.$transaction((tx) => takeOverAccount(tx, id));
  return `Bearer ${await signAccessToken(await db.user.findUniqueOrThrow({ where: { id } }))}`;
}

test('an account that others used leaves what they did in its name, and its owner can register', async () => {
  const settings = {
    teamSize: 2,
    rosterMin: 2,
    rosterMax: 3,
    requiresApproval: true,
    waitlistEnabled: true,
    maxParticipants: 2,
  };
  const cup = await hostTournament(api, settings);
  const { path, organizer } = cup;
  const [owner, mate, rival, other] = [await makeUser(), await makeUser(), await makeUser(), await makeUser()];
  const first = await cup.register(owner.bearer, teamOf(owner, [mate], 'Foxes'));
  await accept(path, mate.bearer);
  expect((await api.patch(`${path}/registrations/${first.body.id}/reject`, { ...organizer, body: {} })).status).toBe(
    200,
  );
  let bearer = await takeOver(owner.id);
  expect(refusalOf(await cup.register(bearer, teamOf(owner, [other])))).toEqual([409, 'REGISTRATION_REJECTED']);
  expect((await leave(path, bearer)).body).toMatchObject({ participantId: first.body.id, left: true });
  const rejected = await db.participant.findUniqueOrThrow({
    where: { id: first.body.id },
    include: { roster: { orderBy: { role: 'asc' } } },
  });
  expect(rejected).toMatchObject({ userId: null, name: 'Foxes', registrationStatus: 'rejected' });
  expect(rejected.roster).toMatchObject([
    { userId: null, name: owner.name, role: 'captain', acceptedAt: null },
    { userId: mate.id, role: 'player' },
  ]);

  const second = await cup.register(bearer, teamOf(owner, [other], 'Bears'));
  expect(second.status, second.text).toBe(201);
  const rivals = await cup.register(rival.bearer, teamOf(rival, [await makeUser()], 'Rivals'));
  for (const { body } of [second, rivals]) {
    expect((await api.patch(`${path}/registrations/${body.id}/approve`, organizer)).status).toBe(200);
  }
  const disqualify = () =>
    api.post(`${path}/participants/${second.body.id}/disqualify`, { ...organizer, body: { reason: 'Smurfing' } });
  expect((await disqualify()).status).toBe(200);
  bearer = await takeOver(owner.id);
  expect((await leave(path, bearer)).body).toMatchObject({ participantId: second.body.id, left: true });
  expect(await cup.taken()).toBe(1);
  expect((await cup.register(bearer, teamOf(owner, [await makeUser()], 'Wolves'))).status).toBe(201);
  bearer = await takeOver(owner.id);
  expect((await leave(path, bearer)).status).toBe(200);
  expect((await cup.mine(bearer)).body.registrationStatus).toBe('cancelled');
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
