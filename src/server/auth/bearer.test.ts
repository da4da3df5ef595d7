import { createHmac } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { SignJWT } from 'jose';
import { afterAll, expect, test, vi } from 'vitest';
import { newId } from '@/domain/ids';
import { env } from '@/env';
import { hashToken } from '@/server/auth/api-keys';
import { loadUser, resolveBearer, signAccessToken } from '@/server/auth/bearer';
import { closeDatabase, db } from '@/server/db';
import { makeUser } from '@/test/factories';
import { holdLock } from '@/test/locks';
import { statementsOf } from '@/test/statements';

afterAll(() => closeDatabase());

const secret = Buffer.from(env.AUTH_SECRET ?? '');
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
/** A token as a stranger could write it, or as we would with other claims. */
function forge(header: object, claims: object, key: Buffer = secret): string {
  const signed = `${encode(header)}.${encode(claims)}`;
  return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`;
}

test('an access token leads to its user until it expires or their sessions end', async () => {
  const user = await makeUser();
  const token = await signAccessToken({ id: user.id, sessionVersion: 0 });
  expect(await resolveBearer(token)).toMatchObject({ id: user.id, email: user.email });
  await db.user.update({ where: { id: user.id }, data: { sessionVersion: 1 } });
  expect(await resolveBearer(token)).toBeNull();
});

test('tokens that we did not sign, or not for this, are refused', async () => {
  const { id } = await makeUser();
  const header = { alg: 'HS256', typ: 'at+jwt' };
  const now = Math.floor(Date.now() / 1_000);
  const claims = { sv: 0, sub: id, iss: 'laurel', iat: now, exp: now + 60 };
  const valid = forge(header, claims);
  expect(await resolveBearer(valid)).toMatchObject({ id });
  const [head, body, signature = ''] = valid.split('.');
  const other = await new SignJWT({ sv: 0, sub: id, iss: 'laurel', exp: now + 60 })
    .setProtectedHeader(header)
    .sign(Buffer.from('another secret of at least 32 characters'));
  const refused = [
    other,
    forge(header, claims, Buffer.from('')),
    `${encode({ alg: 'none', typ: 'at+jwt' })}.${body}.`,
    forge({ alg: 'none', typ: 'at+jwt' }, claims),
    forge({ alg: 'HS256', typ: 'JWT' }, claims),
    forge(header, { ...claims, iss: 'someone' }),
    forge(header, { ...claims, exp: now - 1 }),
    forge(header, { ...claims, exp: `${now + 60}` }),
    forge(header, { sub: id, sv: 0, iss: 'laurel' }),
    forge(header, { ...claims, sv: '0' }),
    forge(header, { ...claims, sub: [id] }),
    forge(header, { ...claims, sub: 'usr_nobody' }),
    `${head}.${encode({ ...claims, sub: 'usr_other' })}.${signature}`,
    `${head}.${body}.${signature.slice(0, -4)}`,
    `${head}.${body}`,
    `${valid}.x`,
    `${head}.${body}.`,
    '..',
    '',
  ];
  for (const token of refused) expect([token, await resolveBearer(token)]).toEqual([token, null]);
});

test('a token that was used before ends with its time, and opens no way for one that resembles it', async () => {
  const { id } = await makeUser();
  const now = Math.floor(Date.now() / 1_000);
  const token = forge({ alg: 'HS256', typ: 'at+jwt' }, { sv: 0, sub: id, iss: 'laurel', iat: now, exp: now + 60 });
  expect(await resolveBearer(token)).toMatchObject({ id });
  expect(await resolveBearer(token)).toMatchObject({ id });
  expect(await resolveBearer(`${token.slice(0, -4)}AAAA`)).toBeNull();
  vi.useFakeTimers({ now: Date.now() + 61_000, toFake: ['Date'] });
  expect(await resolveBearer(token)).toBeNull();
  vi.useRealTimers();
});

test('accounts that are read together come each to its own caller', async () => {
  const users = await Promise.all(Array.from({ length: 10 }, () => makeUser()));
  const ids = [...users.map(({ id }) => id), 'usr_nobody', ...users.map(({ id }) => id)];
  const found = await Promise.all(ids.map((id) => loadUser(id)));
  expect(found.map((user) => user?.id ?? 'usr_nobody')).toEqual(ids);
});

/** A personal access token of an account. */
async function mint(userId: string, data: { expiresAt?: Date; revokedAt?: Date; lastUsedAt?: Date } = {}) {
  const token = `lpat_${newId('pat')}`;
  const id = newId('pat');
  const row = { id, userId, name: 'CI', tokenHash: hashToken(token), lastFour: token.slice(-4), ...data };
  await db.personalAccessToken.create({ data: row });
  return { id, token };
}

test('the use of a personal access token is written once a minute, and no request waits for that', async () => {
  const { id: userId } = await makeUser();
  const lastUsedAt = new Date(Date.now() - 61_000);
  const { id, token } = await mint(userId, { lastUsedAt });
  const usedAt = async () => (await db.personalAccessToken.findUniqueOrThrow({ where: { id } })).lastUsedAt;
  const release = await holdLock('LOCK TABLE "personal_access_token" IN SHARE MODE');
  const statements = await statementsOf(async () => {
    const found = await Promise.all(Array.from({ length: 20 }, () => resolveBearer(token)));
    expect(found.map((user) => user?.id)).toEqual(Array(20).fill(userId));
    await release();
    await expect.poll(usedAt).not.toEqual(lastUsedAt);
  });
  expect(statements.filter((text) => text.includes('UPDATE'))).toHaveLength(1);
});

test('a flood of personal access tokens that do not exist takes few statements, and no place of one that does', async () => {
  const { id } = await makeUser();
  const past = new Date(Date.now() - 1_000);
  const { token: valid } = await mint(id);
  const { token: expired } = await mint(id, { expiresAt: past });
  const { token: revoked } = await mint(id, { revokedAt: past });
  await resolveBearer(valid);
  const unknown = Array.from({ length: 500 }, (_, index) => `lpat_unknown${index}`);
  const tokens = [...unknown, expired, revoked, valid];
  let found: Awaited<ReturnType<typeof resolveBearer>>[] = [];
  const statements = await statementsOf(async () => {
    // How many arrive while one statement is answered must not depend on how fast this machine is.
    const release = await holdLock('LOCK TABLE "personal_access_token" IN ACCESS EXCLUSIVE MODE');
    const asked: ReturnType<typeof resolveBearer>[] = [];
    for (const token of tokens) {
      asked.push(resolveBearer(token));
      // Requests arrive in rounds of the event loop of their own.
      await setImmediate();
    }
    await release();
    found = await Promise.all(asked);
  });
  expect(found.flatMap((user, index) => (user ? [[tokens[index], user.id]] : []))).toEqual([[valid, id]]);
  expect(statements.length).toBeGreaterThan(0);
  expect(statements.length).toBeLessThan(unknown.length / 10);
});
