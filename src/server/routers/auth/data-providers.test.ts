import { afterAll, expect, test } from 'vitest';
import { newId } from '@/domain/ids';
import { resolveBearer } from '@/server/auth/bearer';
import { hashPassword } from '@/server/auth/passwords';
import { closeDatabase, db } from '@/server/db';
import { hashedBlock } from '@/server/limits/rate-limit';
import { authenticate } from '@/server/routers/auth/data';
import { userForProvider } from '@/server/routers/auth/data-providers';
import { makeAntiCheatClient, makeProject, makeUser } from '@/test/factories';

afterAll(() => closeDatabase());

function profile(data: { email?: string | null; emailVerified?: boolean; providerAccountId?: string } = {}) {
  return {
    provider: 'discord',
    providerAccountId: newId('usr'),
    email: `${newId('usr')}@players.test`,
    emailVerified: true,
    name: 'Ada',
    ip: '203.0.113.9',
    ...data,
  };
}

test('the first sign-in with a provider creates a confirmed user, and the next one finds it', async () => {
  const ada = profile();
  const first = await userForProvider(ada);
  expect(await db.user.findUnique({ where: { id: first.id } })).toMatchObject({
    email: ada.email,
    passwordHash: null,
    emailVerifiedAt: expect.any(Date),
    createdFrom: hashedBlock(ada.ip),
  });
  const events = await db.domainEvent.findMany({ where: { aggregateId: first.id }, orderBy: { sequence: 'asc' } });
  expect(events.map((event) => event.type)).toEqual(['user.created', 'user.verified']);
  const next = await userForProvider({ ...ada, email: null, emailVerified: false });
  expect(next.id).toBe(first.id);
});

test('an account whose block is not known gets that of its next sign-in, and keeps it', async () => {
  const [email, password] = [`${newId('usr')}@players.test`, 'a long enough password'];
  const { id } = await makeUser({ email });
  await db.user.update({ where: { id }, data: { passwordHash: await hashPassword(password) } });
  const ada = profile({ email });
  const known = async () => (await db.user.findUniqueOrThrow({ where: { id } })).createdFrom;
  await userForProvider(ada);
  for (const signIn of [() => userForProvider(ada), () => authenticate({ email, password, ip: ada.ip })]) {
    await db.user.update({ where: { id }, data: { createdFrom: null } });
    await signIn();
    expect(await known()).toBe(hashedBlock(ada.ip));
    await authenticate({ email, password, ip: '198.51.100.4' });
    expect(await known()).toBe(hashedBlock(ada.ip));
  }
});

test('two first sign-ins at the same time create one user', async () => {
  const ada = profile();
  const both = await Promise.all([userForProvider(ada), userForProvider(ada)]);
  expect(both[0].id).toBe(both[1].id);
  expect(await db.user.count({ where: { email: ada.email ?? '' } })).toBe(1);
});

test('an address that the provider has not verified is not linked', async () => {
  const user = await makeUser();
  for (const data of [{ email: user.email, emailVerified: false }, { email: null }]) {
    await expect(userForProvider(profile(data))).rejects.toMatchObject({ reason: 'INVALID_CREDENTIALS' });
  }
  expect(await db.account.count({ where: { userId: user.id } })).toBe(0);
});

test('what a provider vouches for is one address, or none', async () => {
  const { email } = await makeUser();
  for (const other of ['nonsense', `mallory@players.test,${email}`, `mallory@players.test\r\nBcc: ${email}`]) {
    await expect(userForProvider(profile({ email: other }))).rejects.toMatchObject({ reason: 'INVALID_CREDENTIALS' });
  }
});

test('a confirmed account is linked and keeps its password', async () => {
  const user = await makeUser();
  await db.user.update({ where: { id: user.id }, data: { passwordHash: await hashPassword('something long') } });
  expect(await userForProvider(profile({ email: user.email.toUpperCase() }))).toMatchObject({ id: user.id });
  const after = await db.user.findUniqueOrThrow({ where: { id: user.id } });
  expect(after.passwordHash).not.toBeNull();
  expect(await resolveBearer(user.bearer.slice(7))).not.toBeNull();
});

test('the creator of an unconfirmed account with the address loses access to it', async () => {
  const user = await makeUser();
  await db.user.update({
    where: { id: user.id },
    data: { passwordHash: await hashPassword('chosen by a stranger'), emailVerifiedAt: null },
  });
  const { project } = await makeProject();
  const client = await makeAntiCheatClient(project.id, user.id);
  expect(await userForProvider(profile({ email: user.email }))).toEqual({ id: user.id, sessionVersion: 1 });
  expect((await db.antiCheatClient.findUniqueOrThrow({ where: { id: client.id } })).revokedAt).not.toBeNull();
  const after = await db.user.findUniqueOrThrow({ where: { id: user.id } });
  expect(after.passwordHash).toBeNull();
  expect(after.emailVerifiedAt).not.toBeNull();
  expect(after.name).toBe(profile({}).name);
  expect(await resolveBearer(user.bearer.slice(7))).toBeNull();
});

test('a suspended user cannot sign in with a provider', async () => {
  const user = await makeUser();
  await db.user.update({ where: { id: user.id }, data: { suspendedAt: new Date() } });
  await expect(userForProvider(profile({ email: user.email }))).rejects.toMatchObject({ reason: 'ACCOUNT_SUSPENDED' });
});
