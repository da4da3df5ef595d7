import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { newId } from '@/domain/ids';
import { env } from '@/env';
import { createContext } from '@/server/context';
import { db } from '@/server/db';
import { limitOf } from '@/server/limits/quotas';
import { hashedBlock } from '@/server/limits/rate-limit';
import { takeNow } from '@/server/limits/take-now';
import { appRouter } from '@/server/routers/_app';
import { createCallerFactory } from '@/server/trpc';
import { freshEmail, lastEmail, writeEmailsAbout } from '@/test/email';
import { makeMember, makeProject, makeTeam, makeTournament, makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';
import { hostTournament, lastEvent, teamOf } from '@/test/tournaments';

type Pair = { accessToken: string; refreshToken: string };

const api = setupTestServer();
const theirs = 'the password of a stranger';
const own = 'the password of the owner';

const signIn = (email: string, password: string) => api.post<Pair>('/auth/token', { body: { email, password } });

async function emailedToken(recipient: string, page: string): Promise<string> {
  const { text } = await lastEmail(recipient);
  return new RegExp(`/${page}\\?token=([\\w-]+)`).exec(text)?.[1] ?? '';
}

/** An account that a stranger made with somebody's address, every way in that they have, and the link in the owner's inbox. */
async function makeTakenAccount(from: { tournamentId?: string } = {}) {
  const email = freshEmail();
  await api.post('/auth/register', { body: { email, password: theirs, name: 'Mallory', ...from } });
  const token = await emailedToken(email, 'verify-email');
  const { accessToken, refreshToken } = (await signIn(email, theirs)).body;
  const bearer = `Bearer ${accessToken}`;
  const made = await api.post<{ token: string }>('/me/access-tokens', { bearer, body: { name: 'Waiting' } });
  const personal = `Bearer ${made.body.token}`;
  expect((await api.get('/me', { bearer: personal })).status).toBe(200);
  return { email, token, bearer, refreshToken, personal };
}

/** The owner of an address, on a network of their own. */
const elsewhere = { 'X-Forwarded-For': '203.0.113.78' };
beforeAll(() => {
  env.TRUSTED_PROXIES = 1;
});
afterAll(() => {
  env.TRUSTED_PROXIES = 0;
});

/** The owner takes the account over by the link in their inbox. */
async function takeOver(token: string): Promise<void> {
  const answer = await api.post('/auth/reset-password', { headers: elsewhere, body: { token, password: own } });
  expect(answer.status, answer.text).toBe(200);
}

const isConfirmed = async (email: string) =>
  (await db.user.findUniqueOrThrow({ where: { email } })).emailVerifiedAt !== null;

test('the link in an inbox does not confirm an account that a stranger signed up for', async () => {
  const { email, token } = await makeTakenAccount();
  const confirm = (password?: string) =>
    api.post('/auth/verify-email', { headers: elsewhere, body: { token, password } });
  expect(await confirm()).toMatchObject({ status: 401, reason: 'UNAUTHENTICATED' });
  expect(await confirm(own)).toMatchObject({ status: 401, reason: 'INVALID_CREDENTIALS' });

  const another = freshEmail();
  await api.post('/auth/register', { body: { email: another, password: own, name: 'Ada' } });
  const bearer = `Bearer ${(await signIn(another, own)).body.accessToken}`;
  expect(await api.post('/auth/verify-email', { bearer, headers: elsewhere, body: { token } })).toMatchObject({
    status: 401,
  });
  expect(await isConfirmed(email)).toBe(false);
});

test('its owner gets the account with that link and a new password, and the stranger has no way in', async () => {
  const { email, token, bearer, refreshToken, personal } = await makeTakenAccount();
  await api.patch('/me', { bearer, body: { emailNotifications: false, timezone: 'Asia/Tokyo' } });
  const reset = await api.post('/auth/reset-password', { body: { token, password: own, name: 'Ada' } });
  expect(reset.status).toBe(200);
  const mine = await api.get('/me', { bearer: `Bearer ${(await signIn(email, own)).body.accessToken}` });
  expect(mine.body).toMatchObject({ name: 'Ada', emailNotifications: true, timezone: null });
  expect(await isConfirmed(email)).toBe(true);
  expect((await signIn(email, own)).status).toBe(200);

  expect((await signIn(email, theirs)).reason).toBe('INVALID_CREDENTIALS');
  expect((await api.get('/me', { bearer })).status).toBe(401);
  expect((await api.get('/me', { bearer: personal })).status).toBe(401);
  expect((await api.post('/auth/refresh', { body: { refreshToken } })).status).toBe(401);
  expect((await lastEmail(email)).text).not.toContain('Mallory');
});

test('changing the password of an unconfirmed account leaves the links in the inbox of its owner', async () => {
  const { email, bearer } = await makeTakenAccount();
  await api.post('/auth/forgot-password', { body: { email } });
  const token = await emailedToken(email, 'reset-password');
  const changed = await api.post('/me/password', {
    bearer,
    body: { currentPassword: theirs, newPassword: 'another password of a stranger' },
  });
  expect(changed.status, changed.text).toBe(200);
  await takeOver(token);
  expect((await signIn(email, own)).status).toBe(200);
});

test('what a stranger used up of the rates of an account is there again for its owner', async () => {
  const { email, token, bearer } = await makeTakenAccount();
  const { id } = await db.user.findUniqueOrThrow({ where: { email } });
  await takeNow('writes', id, limitOf('writes'));
  await takeNow('accessTokens', id, limitOf('accessTokens') - 1);
  const make = (by: string) => api.post('/me/access-tokens', { bearer: by, body: { name: 'Mine' } });
  expect((await make(bearer)).status).toBe(429);
  const cup = await hostTournament(api);
  expect((await cup.register(bearer)).status).toBe(201);
  await takeNow('registrationChanges', `${cup.id} ${id}`, limitOf('registrationChanges'));
  await takeOver(token);
  expect(await db.rateLimitWindow.findMany({ where: { subject: { startsWith: 'quota:', endsWith: id } } })).toEqual([]);
  const made = await make(`Bearer ${(await signIn(email, own)).body.accessToken}`);
  expect(made.status, made.text).toBe(201);
});

test('an account counts with the block of who signed up, and of its owner once they have taken it over', async () => {
  const stranger = { 'X-Forwarded-For': '198.51.100.7' };
  const email = freshEmail();
  await api.post('/auth/register', { headers: stranger, body: { email, password: theirs, name: 'Mallory' } });
  const blockOfAccount = async () => (await db.user.findUniqueOrThrow({ where: { email } })).createdFrom;
  expect(await blockOfAccount()).toBe(hashedBlock('198.51.100.8'));
  expect(await db.outgoingMail.findFirst({ where: { recipient: email } })).toMatchObject({
    recipientFrom: hashedBlock('198.51.100.8'),
  });
  await takeOver(await emailedToken(email, 'verify-email'));
  expect(await blockOfAccount()).toBe(hashedBlock('203.0.113.1'));
});

test('what a stranger answered is shown to nobody until the owner of the account accepts it', async () => {
  const question = { key: 'motto', label: 'Motto', type: 'text', required: false, visibility: 'public' };
  const cup = await hostTournament(api, { customFields: [question] });
  const { email, token, bearer } = await makeTakenAccount();
  const customFields = { motto: 'I cheat' };
  expect((await cup.register(bearer, { customFields })).status).toBe(201);
  const shown = async () => {
    const { body } = await api.get<{ items: { publicAnswers?: object }[] }>(`${cup.path}/participants`);
    return body.items.map(({ publicAnswers }) => publicAnswers);
  };
  expect(await shown()).toEqual([{}]);
  await takeOver(token);
  expect(await shown()).toEqual([{}]);
  const mine = `Bearer ${(await signIn(email, own)).body.accessToken}`;
  expect((await api.post(`${cup.path}/registrations/me/accept`, { bearer: mine })).status).toBe(200);
  expect(await shown()).toEqual([customFields]);
});

test('an account is confirmed with its password, signed in, or where it was made, and keeps its sessions', async () => {
  for (const how of ['password', 'token', 'network'] as const) {
    const email = freshEmail();
    await api.post('/auth/register', { body: { email, password: own, name: 'Ada' } });
    const token = await emailedToken(email, 'verify-email');
    const bearer = `Bearer ${(await signIn(email, own)).body.accessToken}`;
    const sent = {
      password: { headers: elsewhere, body: { token, password: own } },
      token: { headers: elsewhere, bearer, body: { token } },
      network: { body: { token } },
    };
    expect((await api.post('/auth/verify-email', sent[how])).status).toBe(200);
    expect((await api.get('/me', { bearer })).body).toMatchObject({ emailVerified: true });
  }
});

test('the page of the link does not take a stranger on the same network for its owner', async () => {
  const { email, token } = await makeTakenAccount();
  const answer = await api.call('POST', '/api/trpc/auth.verifyEmail', { body: { json: { token } } });
  expect([answer.status, answer.text]).toEqual([401, expect.stringContaining('"reason":"UNAUTHENTICATED"')]);
  expect(await isConfirmed(email)).toBe(false);
});

test('a link that was asked for later proves nothing about who signed up', async () => {
  const { email } = await makeTakenAccount();
  await api.post('/auth/verify-email/resend', { body: { email } });
  const token = await emailedToken(email, 'verify-email');
  expect(await api.post('/auth/verify-email', { body: { token } })).toMatchObject({ status: 401 });
  expect(await isConfirmed(email)).toBe(false);
});

test('a link that confirms an address sets no password once it is confirmed', async () => {
  const email = freshEmail();
  await api.post('/auth/register', { body: { email, password: own, name: 'Ada' } });
  const first = await emailedToken(email, 'verify-email');
  await api.post('/auth/verify-email/resend', { body: { email } });
  const second = await emailedToken(email, 'verify-email');
  await api.post('/auth/verify-email', { body: { token: second, password: own } });
  for (const token of [first, second]) {
    const answer = await api.post('/auth/reset-password', { body: { token, password: theirs } });
    expect(answer.reason).toBe('INVALID_TOKEN');
  }
  expect((await signIn(email, own)).status).toBe(200);
});

test('a stranger who changes the password of an unconfirmed account again and again sends nobody an email', async () => {
  const { email, bearer } = await makeTakenAccount();
  const before = await db.outgoingMail.count({ where: { recipient: email } });
  let [bearerNow, current] = [bearer, theirs];
  for (let turn = 0; turn < 4; turn += 1) {
    await api.patch('/me', { bearer: bearerNow, body: { name: 'Win a skin at evil.test' } });
    const newPassword = `${theirs} ${turn}`;
    const body = { currentPassword: current, newPassword };
    expect((await api.post('/me/password', { bearer: bearerNow, body })).status).toBe(200);
    current = newPassword;
    bearerNow = `Bearer ${(await signIn(email, current)).body.accessToken}`;
  }
  expect(await db.outgoingMail.count({ where: { recipient: email } })).toBe(before);
});

test('what a stranger agreed to in the name of an address is asked of its owner', async () => {
  const { email, token, bearer } = await makeTakenAccount();
  const { id: userId } = await db.user.findUniqueOrThrow({ where: { email } });
  const { project } = await makeProject();
  const [solo, rostered] = await Promise.all([
    makeTournament(project.id),
    makeTournament(project.id, { teamSize: 2, rosterMin: 1, rosterMax: 3 }),
  ]);
  const accomplice = await makeUser();
  const team = await makeTeam(accomplice, [{ id: userId }]);
  expect((await api.post(`/tournaments/${solo.id}/participants/register`, { bearer })).status).toBe(201);
  const teamMembers = [
    { userId: accomplice.id, role: 'captain' },
    { userId, role: 'player' },
  ];
  const register = (tournamentId: string, name: { teamId: string } | { teamName: string }) =>
    api.post(`/tournaments/${tournamentId}/participants/register`, {
      bearer: accomplice.bearer,
      body: { ...name, teamMembers },
    });
  const entered = await register(rostered.id, { teamId: team.id });
  expect(entered.status, entered.text).toBe(201);
  const agreed = async () => ({
    registrations: await db.participant.count({ where: { userId, acceptedAt: { not: null } } }),
    rosters: await db.rosterMember.count({ where: { userId, acceptedAt: { not: null } } }),
    teams: await db.teamMember.count({ where: { userId } }),
  });
  expect(await agreed()).toEqual({ registrations: 1, rosters: 1, teams: 1 });

  expect((await api.post('/auth/reset-password', { body: { token, password: own } })).status).toBe(200);
  expect(await agreed()).toEqual({ registrations: 0, rosters: 0, teams: 0 });
  const later = await makeTournament(project.id, { teamSize: 2, rosterMin: 1, rosterMax: 3 });
  expect((await register(later.id, { teamName: 'Bait' })).status).toBe(201);
  expect((await agreed()).rosters).toBe(0);

  // The owner finds all of it, and may say yes.
  const owner = { bearer: `Bearer ${(await signIn(email, own)).body.accessToken}` };
  const [invitation] = (await api.get<{ items: { id: string }[] }>('/me/team-invitations', owner)).body.items;
  const accepted = await api.post('/team-invitations/accept', { ...owner, body: { invitationId: invitation?.id } });
  expect(accepted).toMatchObject({ status: 200, body: { teamId: team.id, role: 'player' } });
  expect((await api.post(`/tournaments/${solo.id}/registrations/me/accept`, owner)).status).toBe(200);
  expect(await agreed()).toMatchObject({ registrations: 1, teams: 1 });
});

test('a team that a stranger gave to the account says nothing about its owner', async () => {
  const { email, token, bearer } = await makeTakenAccount();
  const { id: userId } = await db.user.findUniqueOrThrow({ where: { email } });
  const { project } = await makeProject();
  const organizer = await makeMember(project.id, 'ORGANIZER');
  const cup = await makeTournament(project.id, { teamSize: 2, rosterMin: 2, rosterMax: 3 });
  const teams = await Promise.all(
    [false, true].map(async (isLeft) => {
      const [accomplice, mate] = [await makeUser(), await makeUser()];
      const team = await makeTeam(accomplice, [mate]);
      const path = `/teams/${team.id}/members`;
      const entered = await api.post<{ id: string }>(`/tournaments/${cup.id}/participants/register`, {
        ...accomplice,
        body: { teamId: team.id },
      });
      expect(entered.status, entered.text).toBe(201);
      const link = await api.post<{ url: string }>(path, { ...accomplice, body: { role: 'player' } });
      const joining = { token: link.body.url.split('/').at(-1) };
      expect((await api.post('/team-invitations/accept', { bearer, body: joining })).status).toBe(200);
      const given = await api.patch(`${path}/${userId}`, { ...accomplice, body: { role: 'captain' } });
      expect(given.status, given.text).toBe(200);
      if (isLeft) for (const one of [accomplice, mate]) await api.delete(`${path}/${one.id}`, one);
      return { team, accomplice, mate, participantId: entered.body.id };
    }),
  );
  await takeOver(token);
  for (const { accomplice, mate, participantId } of teams) {
    const substitute = (replaced: { id: string }) =>
      api.post<{ notAccepted: string[] }>(`/tournaments/${cup.id}/participants/${participantId}/substitute`, {
        ...organizer,
        body: { replacedUserId: replaced.id, substituteUserId: userId, reason: 'Ill' },
      });
    expect(await substitute(accomplice)).toMatchObject({ status: 400, reason: 'VALIDATION_FAILED' });
    const substituted = await substitute(mate);
    expect(substituted.status, substituted.text).toBe(200);
    expect(substituted.body.notAccepted).toContain(userId);
    await db.rosterMember.deleteMany({ where: { userId } });
  }
  const led = await db.teamMember.findMany({ where: { userId }, select: { team: { select: { disbandedAt: true } } } });
  expect(led).toEqual([{ team: { disbandedAt: expect.any(Date) } }]);
  const [{ team, accomplice, mate }] = teams as [(typeof teams)[number], ...typeof teams];
  const captain = await db.teamMember.findFirst({ where: { teamId: team.id, role: 'captain' } });
  expect([accomplice.id, mate.id]).toContain(captain?.userId);
  const owner = { bearer: `Bearer ${(await signIn(email, own)).body.accessToken}` };
  const asked = (await api.get<{ items: { team: { id: string } }[] }>('/me/team-invitations', owner)).body.items;
  expect(asked.map((one) => one.team.id)).toEqual([team.id]);
});

test('the project where a stranger signed up with an address hears nothing of its owner', async () => {
  const { project } = await makeProject();
  const { id: tournamentId } = await makeTournament(project.id);
  const { email, token } = await makeTakenAccount({ tournamentId });
  await takeOver(token);
  const { id } = await db.user.findUniqueOrThrow({ where: { email } });
  const events = await db.domainEvent.findMany({ where: { aggregateId: id }, orderBy: { sequence: 'asc' } });
  expect(events.map(({ type, projectId }) => [type, projectId])).toEqual([
    ['user.created', project.id],
    ['user.verified', null],
  ]);
});

test('what a stranger registered for is no reason to email the owner about its removal', async () => {
  const { email, token, bearer } = await makeTakenAccount();
  const { project } = await makeProject();
  const organizer = await makeMember(project.id, 'ORGANIZER');
  const removed = async (registrant: string) => {
    const cup = await makeTournament(project.id, {});
    const path = `/tournaments/${cup.id}/participants`;
    const { body } = await api.post<{ id: string }>(`${path}/register`, { bearer: registrant });
    return async () => {
      const answer = await api.delete(`${path}/${body.id}`, {
        ...organizer,
        body: { reason: 'Win a skin at evil.test' },
      });
      expect(answer.status, answer.text).toBe(200);
      const events = await db.domainEvent.findMany({ where: { aggregateId: body.id, type: 'participant.removed' } });
      await writeEmailsAbout(events.map(({ id }) => id));
      return db.outgoingMail.count({ where: { recipient: email, kind: 'participant.removed' } });
    };
  };
  const removeTheirs = await removed(bearer);
  await takeOver(token);
  expect(await removeTheirs()).toBe(0);
  const removeOwn = await removed(`Bearer ${(await signIn(email, own)).body.accessToken}`);
  expect(await removeOwn()).toBe(1);
});

test('a roster that a stranger was on is no reason to email the owner when staff name and replace them', async () => {
  const { email, token, bearer } = await makeTakenAccount();
  const player = await db.user.findUniqueOrThrow({ where: { email }, select: { id: true } });
  const cup = await hostTournament(api, { teamSize: 2, rosterMin: 2, rosterMax: 3 });
  const [captain, mate] = [await makeUser(), await makeUser()];
  const { body } = await cup.register(captain.bearer, teamOf(captain, [player]));
  expect((await api.post(`${cup.path}/registrations/me/accept`, { bearer })).status).toBe(200);
  const replace = async (out: { id: string }, by: { id: string }) => {
    const change = { replacedUserId: out.id, substituteUserId: by.id, reason: 'Win a skin at evil.test' };
    const path = `${cup.path}/participants/${body.id}/substitute`;
    const answer = await api.post(path, { bearer: cup.organizer.bearer, body: change });
    expect(answer.status, answer.text).toBe(200);
  };
  await replace(player, mate);
  await takeOver(token);
  const since = await lastEvent(cup.project.id);
  await replace(mate, player);
  await replace(player, mate);
  const where = { aggregateId: body.id, sequence: { gt: since.sequence } };
  await writeEmailsAbout((await db.domainEvent.findMany({ where })).map(({ id }) => id));
  expect(await db.outgoingMail.count({ where: { recipient: email, kind: 'participant.substituted' } })).toBe(0);
});

test('a request whose body arrives after the owner took over gives a stranger no new way in', async () => {
  const { project } = await makeProject();
  await makeTournament(project.id, {});
  const { email, token, bearer } = await makeTakenAccount();
  const { id: userId } = await db.user.findUniqueOrThrow({ where: { email } });
  // One that was never used: its first use is written at once.
  const made = await api.post<{ token: string }>('/me/access-tokens', { bearer, body: { name: 'Late' } });
  const used = async () =>
    (await db.personalAccessToken.findFirstOrThrow({ where: { userId, name: 'Late' } })).lastUsedAt;

  const body = new TransformStream<Uint8Array, Uint8Array>();
  const writer = body.writable.getWriter();
  const text = Buffer.from(JSON.stringify({ projectId: project.id }));
  const headers = { 'Content-Type': 'application/json' };
  const answer = api.post('/anti-cheat/clients', { bearer: `Bearer ${made.body.token}`, headers, raw: body.readable });
  await writer.write(text.subarray(0, 5));
  await vi.waitUntil(used, { timeout: 10_000 });
  await takeOver(token);
  await writer.write(text.subarray(5));
  await writer.close();
  expect((await answer).status).toBe(401);
  expect(await db.antiCheatClient.count({ where: { userId, revokedAt: null } })).toBe(0);
});

test('what was waiting with a session that has ended since creates no token', async () => {
  const { email, token, bearer: authorization } = await makeTakenAccount();
  const facts = { requestId: 'req_1', ip: '127.0.0.1', transport: 'rest', setHeader: () => undefined } as const;
  const context = createContext({ ...facts, authorization });
  await context.requireUser();
  await takeOver(token);
  const caller = createCallerFactory(appRouter)(context);
  await expect(caller.me.accessTokens.create({ name: 'Late' })).rejects.toThrow();
  expect(await db.personalAccessToken.count({ where: { user: { email }, revokedAt: null } })).toBe(0);
});

test('what was waiting when the owner took over changes no setting and agrees to nothing', async () => {
  const { project } = await makeProject();
  const cup = await makeTournament(project.id, {});
  const named = await makeTournament(project.id, {});
  const { email, token, bearer: authorization } = await makeTakenAccount();
  const { id: userId } = await db.user.findUniqueOrThrow({ where: { email } });
  const captain = await makeUser();
  const team = await makeTeam(captain);
  const invited = await api.post<{ id: string }>(`/teams/${team.id}/members`, { ...captain, body: { userId } });
  const approved = { registrationStatus: 'approved' } as const;
  const other = await makeTournament(project.id, {});
  const guest = { id: newId('prt'), tournamentId: other.id, name: 'Guest', ...approved };
  const asked = { id: newId('prt'), tournamentId: named.id, name: 'Named', userId, acceptedAt: null, ...approved };
  await db.participant.createMany({ data: [guest, asked] });
  const staff = await makeMember(project.id, 'ORGANIZER');
  const path = `/tournaments/${other.id}/participants/${guest.id}/claim-link`;
  const link = await api.post<{ token: string }>(path, staff);
  const facts = { requestId: 'req_1', ip: '127.0.0.1', transport: 'rest', setHeader: () => undefined } as const;
  const context = createContext({ ...facts, authorization });
  await context.requireUser();
  await takeOver(token);
  const { me, teams, participants: ofPlayers } = createCallerFactory(appRouter)(context);
  const late = [
    me.update({ name: 'Mallory', emailNotifications: false }),
    me.signOutEverywhere(),
    teams.create({ name: 'Night Owls', tag: null }),
    teams.invitations.accept({ invitationId: invited.body.id }),
    ofPlayers.register({ tournamentId: cup.id }),
    ofPlayers.acceptMine({ tournamentId: named.id }),
    ofPlayers.claims.accept({ token: link.body.token }),
  ];
  const settled = await Promise.allSettled(late);
  expect(settled.map(({ status }) => status)).toEqual(late.map(() => 'rejected'));
  expect(await db.user.findUniqueOrThrow({ where: { email } })).toMatchObject({ emailNotifications: true });
  expect(await db.teamMember.count({ where: { userId } })).toBe(0);
  expect(await db.participant.count({ where: { userId, acceptedAt: { not: null } } })).toBe(0);
});
