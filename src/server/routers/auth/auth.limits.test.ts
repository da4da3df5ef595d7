import { afterEach, expect, test } from 'vitest';
import { blockOf } from '@/domain/network/address-ranges';
import { env } from '@/env';
import { hashPassword } from '@/server/auth/passwords';
import { db, pool } from '@/server/db';
import { consumeAttempts } from '@/server/limits/rate-limit';
import { attempts } from '@/server/routers/auth/rules';
import { makeProject, makeTournament, makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';
import { mintEmailToken } from './data';

const api = setupTestServer();
const password = 'correct horse battery';

afterEach(() => {
  env.TRUSTED_PROXIES = 0;
});

/** An account whose address is not confirmed, and the link in its inbox. */
async function makeLink(): Promise<{ id: string; token: string }> {
  const { id } = await makeUser();
  const data = { emailVerifiedAt: null, passwordHash: await hashPassword(password) };
  await db.user.update({ where: { id }, data });
  return { id, token: await db.$transaction((tx) => mintEmailToken(tx, id, 'verify_email')) };
}

test('one person with an IPv6 connection cannot use up the attempts of everybody at an account', async () => {
  env.TRUSTED_PROXIES = 1;
  const user = await makeUser();
  await db.user.update({ where: { id: user.id }, data: { passwordHash: await hashPassword(password) } });
  const signIn = (address: string, secret: string) =>
    api.post('/auth/token', { headers: { 'X-Forwarded-For': address }, body: { email: user.email, password: secret } });
  // Ten networks of one subscriber, each of which could guess ten times.
  for (let network = 0; network < 10; network += 1) {
    await Promise.all(
      Array.from({ length: attempts.signInToAccount.points / 10 }, () => signIn(`2001:db8:1:${network}::1`, 'guess')),
    );
  }
  expect(await signIn('2001:db8:1:ff::1', 'guess')).toMatchObject({ status: 429 });
  expect(await signIn('2001:db8:2::1', password)).toMatchObject({ status: 200 });
});

test('one person with a block of IPv4 cannot use up the attempts of everybody at an account', async () => {
  env.TRUSTED_PROXIES = 1;
  const user = await makeUser();
  await db.user.update({ where: { id: user.id }, data: { passwordHash: await hashPassword(password) } });
  const signIn = async (address: string, secret: string) => {
    const body = { email: user.email, password: secret };
    return (await api.post('/auth/token', { headers: { 'X-Forwarded-For': address }, body })).status;
  };
  const statuses: number[] = [];
  for (let network = 1; network <= 12; network += 1) {
    const guesses = Array.from({ length: attempts.signInPair.points }, () => signIn(`203.0.115.${network}`, 'guess'));
    statuses.push(...(await Promise.all(guesses)));
  }
  expect(statuses.filter((status) => status === 401)).toHaveLength(attempts.signInBlockPair.points);
  expect(await signIn('198.51.100.45', password)).toBe(200);
});

test.each([
  { kind: 'an IPv6 connection', own: ['2001:db8:9:a::1', '2001:db8:9:b::1'], other: '2001:db8:a::1' },
  { kind: 'a block of IPv4', own: ['203.0.112.1', '203.0.112.2'], other: '203.0.113.1' },
])(
  'one person with $kind guesses at no more accounts than ten networks may',
  async ({ own: [first = '', second = ''], other }) => {
    env.TRUSTED_PROXIES = 1;
    const signIn = async (address: string) => {
      const body = { email: 'somebody@guessed.test', password: 'guess' };
      return (await api.post('/auth/token', { headers: { 'X-Forwarded-For': address }, body })).status;
    };
    const limit = { ...attempts.signInFromAddress, points: 10 * attempts.signInFromAddress.points };
    for (let count = 0; count < limit.points - 1; count += 1) {
      await consumeAttempts('sign-in-address-block', blockOf(first), limit);
    }
    expect(await signIn(first)).toBe(401);
    expect(await signIn(second)).toBe(429);
    expect(await signIn(other)).toBe(401);
  },
);

test('who has signed in from an address gets in when others there have used up its attempts, and guesses stay bounded', async () => {
  env.TRUSTED_PROXIES = 1;
  const headers = { 'X-Forwarded-For': '203.0.113.90' };
  const withPassword = async () => {
    const user = await makeUser();
    await db.user.update({ where: { id: user.id }, data: { passwordHash: await hashPassword(password) } });
    return user;
  };
  const [regular, newcomer] = [await withPassword(), await withPassword()];
  const signIn = async (email: string, secret: string) =>
    (await api.post('/auth/token', { headers, body: { email, password: secret } })).status;
  expect(await signIn(regular.email, password)).toBe(200);

  // Guesses at one account are refused by its own limit, and use up no others.
  for (let count = 0; count < attempts.signInPair.points; count += 1) await signIn('one@guessed.test', 'guess');
  for (let count = 0; count < 20; count += 1) expect(await signIn('one@guessed.test', 'guess')).toBe(429);
  const left = attempts.signInFromAddress.points - attempts.signInPair.points;
  for (let count = 0; count < left; count += 10) {
    const guesses = Array.from({ length: 10 }, (_, at) => signIn(`player${count + at}@guessed.test`, 'guess'));
    expect(new Set(await Promise.all(guesses))).toEqual(new Set([401]));
  }
  expect(await signIn('another@guessed.test', 'guess')).toBe(429);
  expect(await signIn(newcomer.email, password)).toBe(429);
  expect(await signIn(regular.email, password)).toBe(200);

  // Their account can be guessed no more often than any other, and being refused locks nobody out elsewhere.
  for (let count = 0; count < attempts.signInPair.points; count += 1) {
    expect(await signIn(regular.email, 'guess')).toBe(401);
  }
  expect(await signIn(regular.email, 'guess')).toBe(429);
  const elsewhere = { 'X-Forwarded-For': '198.51.100.44' };
  for (const { email } of [regular, newcomer]) {
    expect(await api.post('/auth/token', { headers: elsewhere, body: { email, password } })).toMatchObject({
      status: 200,
    });
  }
});

test('whoever tries links that do not exist keeps nobody behind the same address from using theirs', async () => {
  env.TRUSTED_PROXIES = 1;
  const headers = { 'X-Forwarded-For': '203.0.113.77' };
  const guess = (path: string) => api.post(path, { headers, body: { token: 'guess', password } });
  for (const path of ['/auth/verify-email', '/auth/reset-password']) {
    for (let count = 0; count < 120; count += 20) {
      const answers = await Promise.all(Array.from({ length: 20 }, () => guess(path)));
      expect(new Set(answers.map(({ reason }) => reason))).toEqual(new Set(['INVALID_TOKEN']));
    }
  }
  const [confirming, resetting] = [await makeLink(), await makeLink()];
  const confirmed = await api.post('/auth/verify-email', { headers, body: { token: confirming.token, password } });
  expect(confirmed.status, confirmed.text).toBe(200);
  const reset = await api.post('/auth/reset-password', { headers, body: { token: resetting.token, password } });
  expect(reset.status, reset.text).toBe(200);
});

test('who has the link of an account guesses ten times at its password, and may still choose a new one', async () => {
  const { token } = await makeLink();
  const guess = () => api.post('/auth/verify-email', { body: { token, password: 'a guess at it' } });
  for (let count = 0; count < attempts.linkPassword.points; count += 1) {
    expect(await guess()).toMatchObject({ status: 401, reason: 'INVALID_CREDENTIALS' });
  }
  expect(await guess()).toMatchObject({ status: 429, reason: 'TOO_MANY_ATTEMPTS' });
  expect((await api.post('/auth/reset-password', { body: { token, password } })).status).toBe(200);
});

test('one person with an IPv6 connection can ask for ten networks’ worth, and another connection is not concerned', async () => {
  env.TRUSTED_PROXIES = 1;
  const ask = async (address: string) => {
    const headers = { 'X-Forwarded-For': address };
    return (await api.post('/auth/forgot-password', { headers, body: { email: 'nobody@asked.test' } })).status;
  };
  const all = Array.from(
    { length: 10 * attempts.emailFromAddress.points },
    (_, at) => `2001:db8:7:${at.toString(16)}::1`,
  );
  for (let from = 0; from < all.length; from += 100) {
    const statuses = await Promise.all(all.slice(from, from + 100).map(ask));
    expect(new Set(statuses)).toEqual(new Set([200]));
  }
  expect(await ask('2001:db8:7:ffff::1')).toBe(429);
  expect(await ask('2001:db8:8::1')).toBe(200);
});

test('whoever has kept a refresh token that was revoked does not use up the sign-ins of the account', async () => {
  const user = await makeUser();
  await db.user.update({ where: { id: user.id }, data: { passwordHash: await hashPassword(password) } });
  const signIn = () => api.post<{ refreshToken: string }>('/auth/token', { body: { email: user.email, password } });
  const { refreshToken } = (await signIn()).body;
  await api.post('/auth/revoke', { body: { refreshToken } });
  // One sign-in is left of its attempts.
  const used = Array.from({ length: attempts.signIns.points - 2 });
  await Promise.all(used.map(() => consumeAttempts('sign-ins', user.id, attempts.signIns)));
  for (let turn = 0; turn < 3; turn += 1) {
    expect((await api.post('/auth/refresh', { body: { refreshToken } })).reason).toBe('INVALID_REFRESH_TOKEN');
  }
  expect((await signIn()).status).toBe(200);
  expect((await signIn()).status).toBe(429);
});

test('one confirmation is an event of a hundred projects at most, first of those where the user is a member', async () => {
  const { id, token } = await makeLink();
  const { project } = await makeProject();
  const { id: tournamentId } = await makeTournament(project.id);
  const copy = (table: string, from: string, changes: string) =>
    pool.query(
      `INSERT INTO "${table}" SELECT (json_populate_record(o, json_build_object(${changes}))).*
       FROM "${table}" o, generate_series(1, 120) n WHERE o."id" = $1`,
      [from],
    );
  await copy('project', project.id, `'id', 'prj_many' || n, 'slug', 'many-' || n`);
  await copy('tournament', tournamentId, `'id', 'trn_many' || n, 'slug', 'many-' || n, 'projectId', 'prj_many' || n`);
  await pool.query(
    `INSERT INTO "participant" ("id", "tournamentId", "type", "userId", "name", "registrationStatus", "updatedAt")
     SELECT 'prt_many' || n, 'trn_many' || n, 'individual', $1, 'Ada', 'pending', now() FROM generate_series(1, 120) n`,
    [id],
  );
  await db.member.create({ data: { projectId: project.id, userId: id, role: 'MEMBER' } });
  expect((await api.post('/auth/verify-email', { body: { token, password } })).status).toBe(200);
  const events = await db.domainEvent.findMany({ where: { aggregateId: id, type: 'user.verified' } });
  expect(events).toHaveLength(100);
  expect(events.map(({ projectId }) => projectId)).toContain(project.id);
});
