import { expect, test } from 'vitest';
import { newId } from '@/domain/ids';
import { db } from '@/server/db';
import { consumeAttempts } from '@/server/limits/rate-limit';
import { windowKey } from '@/server/limits/take-quota';
import { mintEmailToken } from '@/server/routers/auth/data';
import { attempts } from '@/server/routers/auth/rules';
import { limits } from '@/server/routers/teams/rules';
import { makeTeam, makeUser } from '@/test/factories';
import { holdLock, someoneWaits } from '@/test/locks';
import { until } from '@/test/receiver';
import { setupTestServer } from '@/test/server';
import { watchStatements } from '@/test/statements';
import { hostTeam, hostTournament, hoursFromNow, teamOf } from '@/test/tournaments';

const api = setupTestServer();

/** A player of two tournaments whose address nobody has confirmed. */
async function playInTwo() {
  const [held, other] = [await hostTournament(api), await hostTournament(api)];
  const player = await makeUser();
  for (const cup of [held, other]) expect((await cup.register(player.bearer)).status).toBe(201);
  await db.user.update({ where: { id: player.id }, data: { emailVerifiedAt: null } });
  const { id: participantId } = await db.participant.findFirstOrThrow({
    where: { tournamentId: held.id, userId: player.id },
  });
  return { player, participantId, other };
}

/** Whoever has the link in the inbox of an account that nobody has confirmed chooses a password. */
async function takeOver(userId: string) {
  await db.user.update({ where: { id: userId }, data: { emailVerifiedAt: null } });
  const token = await mintEmailToken(db, userId, 'reset_password');
  return api.post('/auth/reset-password', { body: { token, password: 'chosen by the owner' } });
}

test('a takeover costs this process the same however many teams a stranger joined with the account', async () => {
  const [owner, late, early, substitute] = [await makeUser(), await makeUser(), await makeUser(), await makeUser()];
  const joinedAt = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second));
  const member = (userId: string, role: 'captain' | 'player' | 'substitute', second = 0) => ({
    ...{ userId, role, createdAt: joinedAt(second) },
  });
  const rosters = {
    member: [member(late.id, 'captain'), member(owner.id, 'substitute')],
    captain: [
      member(owner.id, 'captain'),
      ...[member(substitute.id, 'substitute'), member(late.id, 'player', 2), member(early.id, 'player', 1)],
    ],
    alone: [member(owner.id, 'captain')],
  };
  const made = Object.values(rosters).flatMap((members) =>
    Array.from({ length: 300 }, () => ({ id: newId('tem'), members })),
  );
  await db.team.createMany({ data: made.map(({ id }) => ({ id, name: 'Owls' })) });
  const all = made.flatMap(({ id: teamId, members }) => members.map((one) => ({ ...one, teamId })));
  await db.teamMember.createMany({ data: all });

  const sent = await watchStatements(async () => {
    expect((await takeOver(owner.id)).status).toBe(200);
  });
  expect(sent.length).toBeGreaterThan(10);
  expect(Math.max(...sent.map(({ values }) => values.flat().length))).toBeLessThan(200);

  const teams = await db.team.findMany({
    where: { id: { in: made.map(({ id }) => id) } },
    select: {
      id: true,
      version: true,
      disbandedAt: true,
      members: { where: { role: 'captain' }, select: { userId: true } },
      invitations: { select: { id: true, userId: true, role: true, invitedById: true } },
    },
  });
  const shape = ({ version, disbandedAt, members, invitations }: (typeof teams)[number]) => ({
    ...{ version, isDisbanded: disbandedAt !== null, captains: members.map(({ userId }) => userId) },
    asked: invitations.map(({ userId, role, invitedById }) => [userId, role, invitedById]),
  });
  const left = { version: 1, isDisbanded: false };
  const expected = {
    member: { ...left, captains: [late.id], asked: [[owner.id, 'substitute', late.id]] },
    captain: { ...left, captains: [early.id], asked: [[owner.id, 'player', early.id]] },
    alone: { version: 2, isDisbanded: true, captains: [owner.id], asked: [] },
  };
  const byId = new Map(teams.map((team) => [team.id, shape(team)]));
  const kinds = Object.keys(rosters) as (keyof typeof rosters)[];
  expect(made.map(({ id }) => byId.get(id))).toEqual(kinds.flatMap((kind) => Array(300).fill(expected[kind])));
  expect(await db.teamMember.count({ where: { userId: owner.id } })).toBe(300);
  const ids = teams.flatMap(({ invitations }) => invitations.map(({ id }) => id));
  expect(new Set(ids).size).toBe(600);
  expect(ids.every((id) => /^tiv_[0-9a-hjkmnp-tv-z]{26}$/.test(id))).toBe(true);
});

test('what a takeover has taken back stays so when the rest of it has to begin again', async () => {
  const { player, participantId, other } = await playInTwo();
  const team = await makeTeam(await makeUser(), [player]);
  const release = await holdLock('SELECT 1 FROM "team" WHERE "id" = $1 FOR UPDATE', [team.id]);
  const taking = takeOver(player.id);
  await until(
    async () => (await db.participant.count({ where: { userId: player.id, acceptedAt: { not: null } } })) === 0,
  );
  const { takenOverAt } = await db.user.findUniqueOrThrow({ where: { id: player.id } });
  expect(takenOverAt).toBeNull();
  await release();
  expect((await taking).status).toBe(200);
  expect(await db.teamMember.count({ where: { userId: player.id } })).toBe(0);
  const accepted = await api.post(`${other.path}/registrations/me/accept`, { bearer: player.bearer });
  expect(accepted.status).toBe(401);
  expect((await db.participant.findUniqueOrThrow({ where: { id: participantId } })).acceptedAt).toBeNull();
});

test("what was counted for the account in a tournament or match is the owner's anew, and nobody else's", async () => {
  const [owner, other] = [await makeUser(), await makeUser()];
  const keys = [owner, other].flatMap(({ id }) => [
    windowKey('matchAnswers', `${newId('mat')} ${id}`),
    windowKey('registrationChanges', `${newId('trn')} ${id}`),
  ]);
  const now = new Date();
  const rate = { slots: [1n], hits: [1], total: 1, expiresAt: now, deletableAt: now };
  await db.rateLimitWindow.createMany({ data: keys.map((subject) => ({ subject, ...rate })) });
  expect((await takeOver(owner.id)).status).toBe(200);
  const left = await db.rateLimitWindow.findMany({ where: { subject: { in: keys } }, select: { subject: true } });
  expect(left.map(({ subject }) => subject).sort()).toEqual(keys.slice(2).sort());
});

test('what a stranger used up of the attempts of an account keeps its owner from nothing, and the owner has their own', async () => {
  const owner = await makeUser();
  const exhaust = (name: string, limit: { points: number; seconds: number }) =>
    Promise.all(Array.from({ length: limit.points }, () => consumeAttempts(name, owner.id, limit)));
  await exhaust('sign-ins', attempts.signIns);
  await exhaust('team-create', limits.create);
  const create = (bearer: string) => api.post('/teams', { bearer, body: { name: 'Owls' } });
  expect((await create(owner.bearer)).status).toBe(429);
  expect((await takeOver(owner.id)).status).toBe(200);

  const signedIn = await api.post<{ accessToken: string; refreshToken: string }>('/auth/token', {
    body: { email: owner.email, password: 'chosen by the owner' },
  });
  expect(signedIn.status, signedIn.text).toBe(200);
  const { refreshToken, accessToken } = signedIn.body;
  expect((await api.post('/auth/refresh', { body: { refreshToken } })).status).toBe(200);
  const bearer = `Bearer ${accessToken}`;
  for (let made = 0; made < limits.create.points; made += 1) expect((await create(bearer)).status).toBe(201);
  expect((await create(bearer)).status).toBe(429);
});

test('what a stranger registered and cancelled, or the owner does not accept, keeps no team of the owner out once rosters are locked', async () => {
  const signIn = async (email: string) => {
    const body = { email, password: 'chosen by the owner' };
    return `Bearer ${(await api.post<{ accessToken: string }>('/auth/token', { body })).body.accessToken}`;
  };
  for (const isCancelledFirst of [true, false]) {
    const { captain, outsider, path, register, cancel, set } = await hostTeam(api);
    if (isCancelledFirst) expect((await cancel(captain.bearer)).status).toBe(200);
    expect((await takeOver(captain.id)).status).toBe(200);
    const bearer = await signIn(captain.email);
    if (!isCancelledFirst) expect((await api.post(`${path}/registrations/me/leave`, { bearer })).status).toBe(200);
    await set({ rosterLockAt: hoursFromNow(-1) });
    const own = await register(bearer, teamOf(captain, [outsider]));
    expect(own.status, own.text).toBe(201);
    expect((await cancel(bearer)).status).toBe(200);
    expect((await register(bearer, teamOf(captain, [await makeUser()]))).reason).toBe('ROSTER_LOCKED');
  }
});

test('a tournament does not wait for a player who is taken over while another tournament holds their place', async () => {
  const { player, participantId, other } = await playInTwo();
  const release = await holdLock('SELECT 1 FROM "participant" WHERE "id" = $1 FOR UPDATE', [participantId]);
  const token = await mintEmailToken(db, player.id, 'reset_password');
  const taking = api.post('/auth/reset-password', { body: { token, password: 'chosen by the owner' } });
  await someoneWaits();
  const place = await db.participant.findFirstOrThrow({ where: { tournamentId: other.id, userId: player.id } });
  const { organizer } = other;
  const removed = await api.delete(`${other.path}/participants/${place.id}`, {
    ...organizer,
    body: { reason: 'Full' },
  });
  expect(removed.status, removed.text).toBe(200);
  expect((await other.register((await makeUser()).bearer)).status).toBe(201);
  await release();
  expect((await taking).status).toBe(200);
  expect((await db.participant.findUniqueOrThrow({ where: { id: participantId } })).acceptedAt).toBeNull();
});

test('nor for one who accepts an invitation of a team that is being changed for long', async () => {
  const cup = await hostTournament(api);
  const [captain, player] = [await makeUser(), await makeUser()];
  expect((await cup.register(player.bearer)).status).toBe(201);
  const team = await makeTeam(captain, []);
  await api.post(`/teams/${team.id}/members`, { bearer: captain.bearer, body: { userId: player.id } });
  const { id: invitationId } = await db.teamInvitation.findFirstOrThrow({ where: { teamId: team.id } });
  const release = await holdLock('SELECT 1 FROM "team" WHERE "id" = $1 FOR UPDATE', [team.id]);
  const accepted = api.post('/team-invitations/accept', { bearer: player.bearer, body: { invitationId } });
  await someoneWaits();
  const cancelled = await cup.cancel(player.bearer);
  expect(cancelled.status, cancelled.text).toBe(200);
  await release();
  const answer = await accepted;
  expect(answer.status, answer.text).toBe(200);
});
