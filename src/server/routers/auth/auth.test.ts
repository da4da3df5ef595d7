import { SignJWT } from 'jose';
import { expect, test } from 'vitest';
import { newId } from '@/domain/ids';
import { env } from '@/env';
import { hashPassword } from '@/server/auth/passwords';
import { db } from '@/server/db';
import { mintEmailToken } from '@/server/routers/auth/data';
import { freshEmail, lastEmail } from '@/test/email';
import { makeProject, makeTournament, makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';
import { statementsOf } from '@/test/statements';

type Pair = { accessToken: string; refreshToken: string; tokenType: string; expiresIn: number };

const api = setupTestServer();

const password = 'correct horse battery';

async function makeUserWithPassword() {
  const user = await makeUser();
  return db.user.update({ where: { id: user.id }, data: { passwordHash: await hashPassword(password) } });
}

const signIn = (email: string, secret = password) =>
  api.post<Pair>('/auth/token', { body: { email, password: secret } });

async function emailedToken(recipient: string): Promise<string> {
  const { text } = await lastEmail(recipient);
  return /[?&]token=([\w-]+)/.exec(text)?.[1] ?? '';
}

const eventsOf = (userId: string, type: string) => db.domainEvent.findMany({ where: { aggregateId: userId, type } });

test('someone signs up, signs in and reads their account', async () => {
  const email = freshEmail();
  const response = await api.post('/auth/register', {
    body: { email: ` ${email.toUpperCase()}`, password, name: ' Ada ' },
  });
  expect(response.status).toBe(201);
  expect(response.body).toEqual({ email, message: expect.any(String) });

  const pair = await signIn(email);
  expect(pair.status).toBe(200);
  expect(pair.body).toEqual({
    accessToken: expect.any(String),
    tokenType: 'Bearer',
    expiresIn: 900,
    refreshToken: expect.any(String),
  });
  const me = await api.get('/me', { bearer: `Bearer ${pair.body.accessToken}` });
  expect(me.body).toMatchObject({ email, name: 'Ada', emailVerified: false, hasPassword: true });
  expect(me.text).not.toContain('argon2');

  const row = await db.user.findUniqueOrThrow({ where: { email } });
  expect(row.passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  const [event] = await eventsOf(row.id, 'user.created');
  expect(event).toMatchObject({ projectId: null, payload: { userId: row.id, name: 'Ada' } });
  expect(JSON.stringify(event?.payload)).not.toContain('@');
});

test('signing up with a taken address gets the same response, changes nothing and emails the owner', async () => {
  const owner = await makeUserWithPassword();
  const free = await api.post('/auth/register', { body: { email: freshEmail(), password, name: 'Eve' } });
  const taken = await api.post('/auth/register', {
    body: { email: owner.email, password: 'another one', name: 'Eve' },
  });
  expect(taken.status).toBe(free.status);
  expect({ ...taken.body, email: '' }).toEqual({ ...free.body, email: '' });
  expect((await signIn(owner.email, 'another one')).reason).toBe('INVALID_CREDENTIALS');
  expect((await db.user.findUniqueOrThrow({ where: { id: owner.id } })).name).toBe(owner.name);
  expect(await lastEmail(owner.email)).toMatchObject({ kind: 'account_exists' });
});

test('several sign-ups with one address at the same time create one account', async () => {
  const email = freshEmail();
  const body = { email, password, name: 'Twin' };
  const responses = await Promise.all(Array.from({ length: 5 }, () => api.post('/auth/register', { body })));
  expect(new Set(responses.map((response) => response.status))).toEqual(new Set([201]));
  expect(await db.user.count({ where: { email } })).toBe(1);
});

test('a sign-up with invalid fields names each of them', async () => {
  const response = await api.post('/auth/register', {
    body: { email: 'nobody', password: 'short', name: '\u202Eevil' },
  });
  expect(response.status).toBe(400);
  const error = response.body.error as { issues: { path: string }[] };
  expect(error.issues.map((issue) => issue.path).sort()).toEqual(['email', 'name', 'password']);
});

test('a sign-up from a tournament page is an event of its project', async () => {
  const { project } = await makeProject();
  const tournament = await makeTournament(project.id);
  const email = freshEmail();
  await api.post('/auth/register', { body: { email, password, name: 'Ada', tournamentId: tournament.slug } });
  const user = await db.user.findUniqueOrThrow({ where: { email } });
  expect(await eventsOf(user.id, 'user.created')).toMatchObject([{ projectId: project.id }]);

  const token = await emailedToken(email);
  expect((await api.post('/auth/verify-email', { body: { token, password } })).status).toBe(200);
  expect(await eventsOf(user.id, 'user.verified')).toMatchObject([{ projectId: project.id }]);
});

test('a confirmed address is an event of the projects where its owner has agreed to play', async () => {
  const agreedTo: string[] = [];
  const user = await makeUser();
  for (const acceptedAt of [new Date(), null]) {
    for (const type of ['individual', 'team'] as const) {
      const { project } = await makeProject();
      const { id: tournamentId } = await makeTournament(project.id, type === 'team' ? { teamSize: 2 } : {});
      const id = newId('prt');
      const own = type === 'individual' ? { userId: user.id, acceptedAt } : {};
      const registrationStatus = 'approved';
      await db.participant.create({ data: { id, tournamentId, type, name: 'Ada', registrationStatus, ...own } });
      const player = { tournamentId, participantId: id, userId: user.id, role: 'player', acceptedAt } as const;
      if (type === 'team') await db.rosterMember.create({ data: player });
      if (acceptedAt) agreedTo.push(project.id);
    }
  }
  await db.user.update({ where: { id: user.id }, data: { emailVerifiedAt: null } });
  const token = await db.$transaction((tx) => mintEmailToken(tx, user.id, 'verify_email'));
  await api.post('/auth/verify-email', { bearer: user.bearer, body: { token } });
  const events = await eventsOf(user.id, 'user.verified');
  expect(events.map(({ projectId }) => projectId).sort()).toEqual(agreedTo.sort());
});

test.each([
  ['a draft', { status: 'DRAFT' }],
  ['a private tournament', { visibility: 'private' }],
  ['a draft that was cancelled before it was published', { status: 'CANCELLED', publishedAt: null }],
] as const)('%s is not the source of a sign-up', async (_what, data) => {
  const { project } = await makeProject();
  const hidden = await makeTournament(project.id, data);
  const email = freshEmail();
  await api.post('/auth/register', { body: { email, password, name: 'Ada', tournamentId: hidden.id } });
  const user = await db.user.findUniqueOrThrow({ where: { email } });
  expect(await eventsOf(user.id, 'user.created')).toMatchObject([{ projectId: null }]);
});

test('an address is confirmed once, and not with an invalid, expired or different link', async () => {
  const email = freshEmail();
  await api.post('/auth/register', { body: { email, password, name: 'Ada' } });
  const token = await emailedToken(email);
  const verify = (value: string) => api.post('/auth/verify-email', { body: { token: value, password } });

  expect((await verify('x')).reason).toBe('INVALID_TOKEN');
  await api.post('/auth/forgot-password', { body: { email } });
  expect((await verify(await emailedToken(email))).reason).toBe('INVALID_TOKEN');
  await db.emailToken.updateMany({ where: { user: { email } }, data: { expiresAt: new Date(0) } });
  expect((await verify(token)).reason).toBe('INVALID_TOKEN');

  await api.post('/auth/verify-email/resend', { body: { email } });
  const second = await emailedToken(email);
  const responses = await Promise.all([verify(second), verify(second)]);
  expect(responses.some((response) => response.status === 200)).toBe(true);
  expect((await verify(second)).status).toBe(200);
  const user = await db.user.findUniqueOrThrow({ where: { email } });
  expect(user.emailVerifiedAt).not.toBeNull();
  expect(await eventsOf(user.id, 'user.verified')).toHaveLength(1);
});

test('neither the response nor its time tells a wrong password from an unknown account', async () => {
  const user = await makeUserWithPassword();
  const bare = await makeUser();
  const timed = async (email: string) => {
    const from = performance.now();
    const response = await api.post('/auth/token', { body: { email, password: 'wrong password' } });
    return { response, took: performance.now() - from };
  };
  const known = await timed(user.email);
  for (const email of [freshEmail(), bare.email]) {
    const other = await timed(email);
    expect(other.response.status).toBe(401);
    expect(other.response.reason).toBe('INVALID_CREDENTIALS');
    expect(other.response.body.message).toBe(known.response.body.message);
    // Both ran argon2, which takes far longer than the rest.
    expect(other.took).toBeGreaterThan(8);
  }
});

test('a suspended account gets no token, and its tokens stop working', async () => {
  const user = await makeUserWithPassword();
  const { body } = await signIn(user.email);
  await db.user.update({ where: { id: user.id }, data: { suspendedAt: new Date() } });
  expect((await signIn(user.email)).reason).toBe('ACCOUNT_SUSPENDED');
  expect((await signIn(user.email, 'wrong')).reason).toBe('INVALID_CREDENTIALS');
  expect((await api.get('/me', { bearer: `Bearer ${body.accessToken}` })).reason).toBe('ACCOUNT_SUSPENDED');
  expect((await api.post('/auth/refresh', { body })).reason).toBe('ACCOUNT_SUSPENDED');
});

test('an access token that is expired, forged or of another type gets 401', async () => {
  const user = await makeUser();
  const sign = (secret: string, expires: string, typ = 'at+jwt') =>
    new SignJWT({ sv: 0 })
      .setProtectedHeader({ alg: 'HS256', typ })
      .setSubject(user.id)
      .setIssuer('laurel')
      .setExpirationTime(expires)
      .sign(new TextEncoder().encode(secret));
  const secret = env.AUTH_SECRET ?? '';
  expect((await api.get('/me', { bearer: `Bearer ${await sign(secret, '1m')}` })).status).toBe(200);
  const bad = [
    await sign(secret, '-1s'),
    await sign('x'.repeat(40), '1m'),
    await sign(secret, '1m', 'JWT'),
    'nonsense',
  ];
  for (const token of bad) {
    const response = await api.get('/me', { bearer: `Bearer ${token}` });
    expect(response.status).toBe(401);
    expect(response.reason).toBe('INVALID_ACCESS_TOKEN');
  }
  expect((await api.get('/me')).reason).toBe('UNAUTHENTICATED');
});

test('refresh tokens rotate; using one a second time ends its family, and no other', async () => {
  const user = await makeUserWithPassword();
  const refresh = (refreshToken: string) => api.post<Pair>('/auth/refresh', { body: { refreshToken } });
  const other = (await signIn(user.email)).body;
  const first = (await signIn(user.email)).body;
  const second = await refresh(first.refreshToken);
  expect(second.status).toBe(200);
  expect(second.body.refreshToken).not.toBe(first.refreshToken);
  expect((await api.get('/me', { bearer: `Bearer ${second.body.accessToken}` })).status).toBe(200);

  expect((await refresh(first.refreshToken)).reason).toBe('INVALID_REFRESH_TOKEN');
  expect((await refresh(second.body.refreshToken)).reason).toBe('INVALID_REFRESH_TOKEN');
  expect((await refresh(other.refreshToken)).status).toBe(200);
  expect((await refresh('lrt_unknown')).reason).toBe('INVALID_REFRESH_TOKEN');
});

test('of several refreshes of one token at the same time, exactly one succeeds', async () => {
  const user = await makeUserWithPassword();
  const { refreshToken } = (await signIn(user.email)).body;
  const responses = await Promise.all(
    Array.from({ length: 10 }, () => api.post<Pair>('/auth/refresh', { body: { refreshToken } })),
  );
  expect(responses.filter((response) => response.status === 200)).toHaveLength(1);
  expect(await db.refreshToken.count({ where: { userId: user.id, spentAt: null, revokedAt: null } })).toBe(0);
});

test('refresh tokens end with the sessions, and none of them is written, however many there are', async () => {
  const user = await makeUserWithPassword();
  const pairs = [(await signIn(user.email)).body, (await signIn(user.email)).body];
  await api.post('/auth/forgot-password', { body: { email: user.email } });
  const body = { token: await emailedToken(user.email), password };
  const statements = await statementsOf(async () => {
    expect((await api.post('/auth/reset-password', { body })).status).toBe(200);
  });
  expect(statements.filter((text) => text.includes('"refresh_token"'))).toEqual([]);
  for (const { refreshToken } of pairs) {
    const refused = await api.post('/auth/refresh', { body: { refreshToken } });
    expect([refused.status, refused.reason]).toEqual([401, 'INVALID_REFRESH_TOKEN']);
  }
  const { refreshToken } = (await signIn(user.email)).body;
  expect((await api.post('/auth/refresh', { body: { refreshToken } })).status).toBe(200);
});

test('no refresh token survives a reuse or a password reset at the same time', async () => {
  const user = await makeUserWithPassword();
  const refresh = (refreshToken: string) => api.post<Pair>('/auth/refresh', { body: { refreshToken } });
  const alive = async () => {
    const { sessionVersion } = await db.user.findUniqueOrThrow({ where: { id: user.id } });
    return db.refreshToken.count({ where: { userId: user.id, sessionVersion, revokedAt: null, spentAt: null } });
  };
  for (let round = 0; round < 5; round += 1) {
    const first = (await signIn(user.email)).body;
    const second = (await refresh(first.refreshToken)).body;
    await Promise.all([refresh(first.refreshToken), refresh(second.refreshToken)]);
    expect(await alive()).toBe(0);
  }
  const { refreshToken } = (await signIn(user.email)).body;
  await api.post('/auth/forgot-password', { body: { email: user.email } });
  const token = await emailedToken(user.email);
  const body = { token, password };
  await Promise.all([api.post('/auth/reset-password', { body }), refresh(refreshToken), refresh(refreshToken)]);
  expect(await alive()).toBe(0);
});

test('an expired refresh token is rejected; revoking ends the family, and has the same response for any token', async () => {
  const user = await makeUserWithPassword();
  const { refreshToken } = (await signIn(user.email)).body;
  await db.refreshToken.updateMany({ where: { userId: user.id }, data: { expiresAt: new Date(0) } });
  expect((await api.post('/auth/refresh', { body: { refreshToken } })).status).toBe(401);

  const next = (await signIn(user.email)).body;
  for (const token of [next.refreshToken, next.refreshToken, 'lrt_unknown']) {
    const response = await api.post('/auth/revoke', { body: { refreshToken: token } });
    expect(response.status).toBe(200);
    expect(response.body).toEqual({ revoked: true });
  }
  expect((await api.post('/auth/refresh', { body: next })).status).toBe(401);
});

test('a password reset works once, ends all sessions, and does not reveal whether an account exists', async () => {
  const user = await makeUserWithPassword();
  const before = (await signIn(user.email)).body;
  const unknown = await api.post('/auth/forgot-password', { body: { email: freshEmail() } });
  const known = await api.post('/auth/forgot-password', { body: { email: user.email } });
  expect(unknown.status).toBe(known.status);
  expect(unknown.body.message).toBe(known.body.message);

  const token = await emailedToken(user.email);
  const reset = () => api.post('/auth/reset-password', { body: { token, password: 'a new password' } });
  const responses = await Promise.all([reset(), reset(), reset()]);
  expect(responses.filter((response) => response.status === 200)).toHaveLength(1);
  expect(responses.filter((response) => response.reason === 'INVALID_TOKEN')).toHaveLength(2);

  expect((await signIn(user.email)).status).toBe(401);
  expect((await signIn(user.email, 'a new password')).status).toBe(200);
  expect((await api.get('/me', { bearer: `Bearer ${before.accessToken}` })).status).toBe(401);
  expect((await api.post('/auth/refresh', { body: before })).status).toBe(401);
  expect(await lastEmail(user.email)).toMatchObject({ kind: 'password_changed' });
  const stored = await db.emailToken.findMany({ where: { userId: user.id } });
  expect(JSON.stringify(stored)).not.toContain(token);
});

test('changing the password requires the current one and signs the user out everywhere', async () => {
  const user = await makeUserWithPassword();
  const { accessToken, refreshToken } = (await signIn(user.email)).body;
  const bearer = `Bearer ${accessToken}`;
  const wrong = { currentPassword: 'wrong', newPassword: 'a new password' };
  expect((await api.post('/me/password', { bearer, body: wrong })).reason).toBe('INVALID_CREDENTIALS');
  await api.post('/auth/forgot-password', { body: { email: user.email } });
  const token = await emailedToken(user.email);
  const right = { ...wrong, currentPassword: password };
  expect((await api.post('/me/password', { bearer, body: right })).status).toBe(200);
  expect((await api.post('/auth/reset-password', { body: { token, password } })).reason).toBe('INVALID_TOKEN');
  expect((await api.get('/me', { bearer })).status).toBe(401);
  expect((await api.post('/auth/refresh', { body: { refreshToken } })).status).toBe(401);
  expect((await signIn(user.email, 'a new password')).status).toBe(200);
});

test('a personal access token is shown once, listed without it, revoked, and cannot create others', async () => {
  const user = await makeUser();
  const stranger = await makeUser();
  const body = { name: 'CI', expiresAt: new Date(Date.now() + 60_000).toISOString() };
  const made = await api.post<{ id: string; token: string }>('/me/access-tokens', { bearer: user.bearer, body });
  expect(made.status).toBe(201);
  expect(made.body.token).toMatch(/^lpat_[\w-]{43}$/);
  const bearer = `Bearer ${made.body.token}`;
  expect((await api.get('/me', { bearer })).body).toMatchObject({ id: user.id });
  expect((await api.post('/me/access-tokens', { bearer, body })).reason).toBe('FORBIDDEN');

  const list = await api.get<{ items: object[]; total: number }>('/me/access-tokens', { bearer: user.bearer });
  expect(list.body).toMatchObject({ total: 1, items: [{ name: 'CI', lastFour: made.body.token.slice(-4) }] });
  expect(list.text).not.toContain(made.body.token);
  expect(list.text).not.toContain('tokenHash');

  const path = `/me/access-tokens/${made.body.id}`;
  expect((await api.delete(path, { bearer: stranger.bearer })).status).toBe(404);
  expect((await api.delete(path, { bearer: user.bearer })).status).toBe(200);
  expect((await api.delete(path, { bearer: user.bearer })).status).toBe(404);
  expect((await api.get('/me', { bearer })).status).toBe(401);

  const past = { name: 'late', expiresAt: new Date(Date.now() - 1000).toISOString() };
  expect((await api.post('/me/access-tokens', { bearer: user.bearer, body: past })).status).toBe(400);
});

test('an expired personal access token gets 401', async () => {
  const user = await makeUser();
  const made = await api.post<{ token: string }>('/me/access-tokens', { bearer: user.bearer, body: { name: 'CI' } });
  await db.personalAccessToken.updateMany({ where: { userId: user.id }, data: { expiresAt: new Date(0) } });
  expect((await api.get('/me', { bearer: `Bearer ${made.body.token}` })).status).toBe(401);
});

test('users can change their name and time zone, and nothing else', async () => {
  const user = await makeUser();
  const body = { name: 'New', timezone: 'Europe/Vienna', email: 'x@x.test', instanceAdmin: true };
  const response = await api.patch('/me', { bearer: user.bearer, body });
  expect(response.body).toMatchObject({
    name: 'New',
    timezone: 'Europe/Vienna',
    email: user.email,
    instanceAdmin: false,
  });
  for (const timezone of ['Mars/Olympus', 'AST', 'systemv/pst8']) {
    const refused = await api.patch('/me', { bearer: user.bearer, body: { timezone } });
    expect(refused.body).toMatchObject({
      error: { code: 'VALIDATION_FAILED', issues: [{ path: 'timezone', message: expect.stringContaining('IANA') }] },
    });
  }
  expect((await api.patch('/me', { bearer: user.bearer, body: { timezone: null } })).body.timezone).toBeNull();
});

test('signing out everywhere ends access and refresh tokens', async () => {
  const user = await makeUserWithPassword();
  const { accessToken, refreshToken } = (await signIn(user.email)).body;
  const bearer = `Bearer ${accessToken}`;
  expect((await api.post('/me/sign-out-everywhere', { bearer })).status).toBe(200);
  expect((await api.get('/me', { bearer })).status).toBe(401);
  expect((await api.post('/auth/refresh', { body: { refreshToken } })).status).toBe(401);
});

test('an API key gives no access to an account', async () => {
  expect((await api.get('/me', { apiKey: 'lrl_whatever' })).status).toBe(401);
});

test('guessing a password is rate limited, successes are not counted, and others are not locked out', async () => {
  const user = await makeUserWithPassword();
  const other = await makeUserWithPassword();
  for (let index = 0; index < 15; index += 1) expect((await signIn(other.email)).status).toBe(200);
  const responses = [];
  for (let index = 0; index < 11; index += 1) responses.push(await signIn(user.email, 'guess'));
  expect(responses.slice(0, 10).every((response) => response.status === 401)).toBe(true);
  expect(responses[10]?.reason).toBe('TOO_MANY_ATTEMPTS');
  expect(Number(responses[10]?.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await signIn(user.email)).reason).toBe('TOO_MANY_ATTEMPTS');
  expect((await signIn(other.email)).status).toBe(200);
});

test.each([
  ['addresses of one IPv6 network', (index: number) => `2001:db8:1:2::${index + 1}`],
  ['ports of one IPv4 address', (index: number) => `198.51.100.7:${4000 + index}`],
  ['ports of one IPv6 address', (index: number) => `[2001:db8:1:2::1]:${4000 + index}`],
])('%s count as one address', async (_what, addressOf) => {
  const { email } = await makeUserWithPassword();
  const body = { email, password: 'guess' };
  env.TRUSTED_PROXIES = 1;
  try {
    const statuses = [];
    for (let index = 0; index < 11; index += 1) {
      const headers = { 'X-Forwarded-For': addressOf(index) };
      statuses.push((await api.post('/auth/token', { body, headers })).status);
    }
    expect(statuses).toEqual([...Array(10).fill(401), 429]);
  } finally {
    env.TRUSTED_PROXIES = 0;
  }
});

test('an account creates so many access tokens in a day, however many are asked for at once', async () => {
  const limit = env.ACCESS_TOKENS_PER_USER_PER_DAY;
  env.ACCESS_TOKENS_PER_USER_PER_DAY = 3;
  try {
    const { bearer } = await makeUser();
    const body = { name: 'Script', expiresAt: new Date(Date.now() + 86_400_000).toISOString() };
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => api.post('/me/access-tokens', { bearer, body })),
    );
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(3);
    expect(responses.filter(({ reason }) => reason === 'QUOTA_EXCEEDED')).toHaveLength(5);
  } finally {
    env.ACCESS_TOKENS_PER_USER_PER_DAY = limit;
  }
});
