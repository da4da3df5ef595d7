import { expect, test } from 'vitest';
import { newId } from '@/domain/ids';
import { hashPassword } from '@/server/auth/passwords';
import { db } from '@/server/db';
import { issueTokens, lockUser, mintEmailToken } from '@/server/routers/auth/data';
import { userForProvider } from '@/server/routers/auth/data-providers';
import { takeOver } from '@/server/routers/auth/data-takeover';
import { makeTeam, makeUser } from '@/test/factories';
import { holdLock, someoneWaits, waiting } from '@/test/locks';
import { until } from '@/test/receiver';
import { setupTestServer } from '@/test/server';
import { hostTeam, hostTournament, teamOf } from '@/test/tournaments';

const api = setupTestServer();

/** Gives an account to the owner of its address, who has it once `hold` is done. */
const takenOver = (id: string, hold: () => Promise<unknown> = async () => {}) =>
  db.$transaction(
    async (tx) => {
      await lockUser(tx, id, { toTakeOver: true });
      await takeOver(tx, id, '203.0.113.9');
      await hold();
    },
    { timeout: 60_000 },
  );

const agreementOf = async (tournamentId: string, userId: string) =>
  (await db.rosterMember.findUniqueOrThrow({ where: { tournamentId_userId: { tournamentId, userId } } })).acceptedAt;

/** Takes accounts over while what `release` ends keeps a change from being finished. */
async function takeOverBeside(userIds: string[], release: () => Promise<void>): Promise<void> {
  await someoneWaits();
  const taking = Promise.all(userIds.map((id) => takenOver(id)));
  // Either they do not wait for the change, or all of them do.
  await Promise.race([taking, until(async () => (await waiting()) > userIds.length)]);
  await release();
  await taking;
}

const sizes = { teamSize: 2, rosterMin: 2, rosterMax: 4 };

test('a player whose account is taken over while their team’s registration waits is asked, and the others are not', async () => {
  const cup = await hostTournament(api, sizes);
  const [captain, member, other] = [await makeUser(), await makeUser(), await makeUser()];
  await makeTeam(captain, [member, other]);
  const release = await holdLock('SELECT 1 FROM "tournament" WHERE "id" = $1 FOR UPDATE', [cup.id]);
  const registered = cup.register(captain.bearer, teamOf(captain, [member, other]));
  await someoneWaits();
  await takenOver(member.id);
  await release();
  const { status, text } = await registered;
  expect(status, text).toBe(201);
  expect(await agreementOf(cup.id, member.id)).toBeNull();
  expect(await agreementOf(cup.id, other.id)).not.toBeNull();
});

test('nor does a player agree by a registration that comes while their account is being taken over', async () => {
  const cup = await hostTournament(api, sizes);
  const [captain, member] = [await makeUser(), await makeUser()];
  await makeTeam(captain, [member]);
  const registered: ReturnType<typeof cup.register>[] = [];
  await takenOver(member.id, async () => {
    registered.push(cup.register(captain.bearer, teamOf(captain, [member])));
    await Promise.race([registered[0], someoneWaits()]);
  });
  const answer = await registered[0];
  expect(answer?.status, answer?.text).toBe(201);
  expect(await agreementOf(cup.id, member.id)).toBeNull();
});

test('nor by an edit that is being written then', async () => {
  const { id, participantId, captain, outsider, edit } = await hostTeam(api);
  await makeTeam(captain, [outsider]);
  const release = await holdLock('SELECT 1 FROM "participant" WHERE "id" = $1 FOR UPDATE', [participantId]);
  const edited = edit(captain.bearer, teamOf(captain, [outsider]));
  await takeOverBeside([outsider.id], release);
  const { status, text } = await edited;
  expect(status, text).toBe(200);
  expect(await agreementOf(id, outsider.id)).toBeNull();
});

/** A substitution that has read its rosters and waits to write them: a member of the captain's team replaces who has accepted. */
async function waitingSubstitution() {
  const cup = await hostTeam(api);
  const { id, path, participantId, captain, mate, outsider, moderator, register } = cup;
  await makeTeam(captain, [outsider]);
  expect((await api.post(`${path}/registrations/me/accept`, { bearer: mate.bearer })).status).toBe(200);
  const rival = await makeUser();
  expect((await register(rival.bearer, teamOf(rival, [outsider], 'Rivals'))).status).toBe(201);
  // Of the substitute, who leaves the other roster: everything has been read by then.
  const place = 'SELECT 1 FROM "roster_member" WHERE "tournamentId" = $1 AND "userId" = $2 FOR UPDATE';
  const release = await holdLock(place, [id, outsider.id]);
  const body = { replacedUserId: mate.id, substituteUserId: outsider.id, reason: 'Ill' };
  const substituted = api.post(`${path}/participants/${participantId}/substitute`, { bearer: moderator.bearer, body });
  const succeeds = async () => {
    const { status, text } = await substituted;
    expect(status, text).toBe(200);
  };
  /** What the substitution wrote: whether the substitute has agreed, and whether the replaced player had. */
  const agreements = async () => {
    const change = await db.rosterChange.findFirstOrThrow({ where: { participantId } });
    return { agreed: (await agreementOf(id, outsider.id)) !== null, [change.outUserId]: change.outAccepted };
  };
  return { ...cup, release, succeeds, agreements };
}

test('nor by a substitution; and whoever it replaces has never agreed', async () => {
  const { mate, outsider, release, succeeds, agreements } = await waitingSubstitution();
  await takeOverBeside([mate.id, outsider.id], release);
  await succeeds();
  expect(await agreements()).toEqual({ agreed: false, [mate.id]: false });
});

test('an owner who takes an account over by a link or with a provider waits for a substitution, too', async () => {
  const { mate, outsider, release, succeeds, agreements } = await waitingSubstitution();
  await db.user.updateMany({ where: { id: { in: [mate.id, outsider.id] } }, data: { emailVerifiedAt: null } });
  const token = await mintEmailToken(db, mate.id, 'reset_password');
  const profile = { provider: 'discord', providerAccountId: newId('usr'), emailVerified: true, name: 'Owner' };
  const ip = '203.0.113.9';
  await someoneWaits();
  const taking = Promise.all([
    api.post('/auth/reset-password', { body: { token, password: 'chosen by the owner' } }),
    userForProvider({ ...profile, email: outsider.email, ip }),
  ]);
  await Promise.race([taking, until(async () => (await waiting()) === 3)]);
  await release();
  await succeeds();
  expect((await taking)[0].status).toBe(200);
  expect(await agreements()).toEqual({ agreed: false, [mate.id]: false });
});

test('everybody on a roster signs in and changes their account while a substitution takes its time', async () => {
  const { captain, mate, outsider, release, succeeds, agreements } = await waitingSubstitution();
  const password = 'as long as it has to be';
  const players = [captain, mate, outsider];
  const ids = players.map(({ id }) => id);
  await db.user.updateMany({ where: { id: { in: ids } }, data: { passwordHash: await hashPassword(password) } });
  const { refreshToken } = await issueTokens(db, mate);
  const token = await mintEmailToken(db, outsider.id, 'reset_password');
  await someoneWaits();
  const changes = Promise.all([
    ...players.map(({ email }) => api.post('/auth/token', { body: { email, password } })),
    api.patch('/me', { bearer: outsider.bearer, body: { name: 'Ada' } }),
    api.post('/me/access-tokens', { bearer: captain.bearer, body: { name: 'Script' } }),
    api.post('/auth/refresh', { body: { refreshToken } }),
  ]);
  // Two of one account may wait for each other for a moment, and none for the substitution, which waits on.
  expect(new Set((await changes).map(({ status }) => status))).toEqual(new Set([200, 201]));
  expect(await waiting()).toBe(1);
  const reset = api.post('/auth/reset-password', { body: { token, password: 'another one' } });
  await Promise.race([reset, until(async () => (await waiting()) > 1)]);
  expect(await waiting()).toBe(1);
  expect((await reset).status).toBe(200);
  await release();
  await succeeds();
  expect(await agreements()).toEqual({ agreed: true, [mate.id]: true });
});

test('nor do they wait for an edit of the captain', async () => {
  const { participantId, captain, mate, edit } = await hostTeam(api);
  const release = await holdLock('SELECT 1 FROM "participant" WHERE "id" = $1 FOR UPDATE', [participantId]);
  const edited = edit(captain.bearer, teamOf(captain, [mate]));
  await someoneWaits();
  const named = api.patch('/me', { bearer: mate.bearer, body: { name: 'Ada' } });
  await Promise.race([named, until(async () => (await waiting()) > 1)]);
  expect(await waiting()).toBe(1);
  expect((await named).status).toBe(200);
  await release();
  expect((await edited).status).toBe(200);
});

test('a team registers while a member of it changes their account', async () => {
  const cup = await hostTournament(api, sizes);
  const [captain, member] = [await makeUser(), await makeUser()];
  await makeTeam(captain, [member]);
  const release = await holdLock('SELECT 1 FROM "user" WHERE "id" = $1 FOR NO KEY UPDATE', [member.id]);
  const registered = cup.register(captain.bearer, teamOf(captain, [member]));
  await Promise.race([registered, someoneWaits()]);
  expect(await waiting()).toBe(0);
  expect((await registered).status).toBe(201);
  await release();
  expect(await agreementOf(cup.id, member.id)).not.toBeNull();
});
