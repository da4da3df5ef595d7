import { afterEach, expect, test } from 'vitest';
import { newId } from '@/domain/ids';
import { env } from '@/env';
import { db } from '@/server/db';
import { freshEmail, lastEmail } from '@/test/email';
import { makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';

const api = setupTestServer();
const defaults = { ...env };
afterEach(() => void Object.assign(env, defaults));

const sent = (recipient: string) => db.outgoingMail.count({ where: { recipient } });
const forgot = (email: string, headers?: Record<string, string>) =>
  api.post('/auth/forgot-password', { body: { email }, headers });
const signUp = (email: string, name = 'Ada') =>
  api.post('/auth/register', { body: { email, password: 'a long password', name } });
const times = <T>(count: number, work: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));

test('a stranger who asks for links for an address does not keep it from signing up', async () => {
  const email = freshEmail();
  const asked = await times(16, () => forgot(email));
  await times(8, () => api.post('/auth/verify-email/resend', { body: { email } }));
  expect(asked.map(({ status }) => status)).toEqual(Array(16).fill(200));
  expect(await sent(email)).toBe(0);
  const response = await signUp(email);
  expect(response.status).toBe(201);
  expect((await lastEmail(email)).kind).toBe('verify_email');
});

test('nor does one who signs up with it first, time and again', async () => {
  const email = freshEmail();
  for (let index = 0; index < 8; index += 1) expect((await signUp(email, 'Mallory')).status).toBe(201);
  const own = await signUp(email);
  expect(own.status).toBe(201);
  // One to confirm, then five about the account that exists; each of them gets the owner in.
  expect(await sent(email)).toBe(6);
  const { text } = await lastEmail(email);
  const token = /reset-password\?token=([\w-]+)/.exec(text)?.[1];
  const reset = await api.post('/auth/reset-password', { body: { token, password: 'my own password' } });
  expect(reset.status).toBe(200);
});

test('an address with an account gets five links in an hour from one network, ten from a block, and more from another', async () => {
  env.TRUSTED_PROXIES = 1;
  const from = (network: string) => ({ 'X-Forwarded-For': network });
  const { email } = await makeUser();
  const responses = await times(16, () => forgot(email, from('198.51.100.7')));
  expect(responses.map(({ status }) => status)).toEqual(Array(16).fill(200));
  expect(await sent(email)).toBe(5);
  await forgot(email, from('203.0.113.9'));
  expect(await sent(email)).toBe(6);
  for (let network = 0; network < 10; network += 1) {
    await times(5, () => forgot(email, from(`192.0.2.${network}`)));
  }
  expect(await sent(email)).toBe(6 + env.ACCOUNT_EMAILS_PER_BLOCK_PER_HOUR);
  for (let block = 0; block < 10; block += 1) {
    await times(5, () => forgot(email, from(`192.0.${block + 3}.1`)));
  }
  expect(await sent(email)).toBe(env.ACCOUNT_EMAILS_PER_HOUR);
});

test.each([
  ['an address', (name: string) => `${name}@players.test`],
  ['an address with a tag', (name: string) => `${name}+laurel@players.test`],
])('asking for links to aliases of %s uses up nothing of a confirmed account', async (_, addressOf) => {
  env.TRUSTED_PROXIES = 1;
  const from = (network: string) => ({ 'X-Forwarded-For': network });
  const name = newId('usr').replace('_', '');
  const { id } = await makeUser();
  const email = addressOf(name);
  await db.user.update({ where: { id }, data: { email } });
  await signUp(`${name}+mallory@players.test`, 'Mallory');
  for (let network = 0; network < 8; network += 1) {
    await times(5, () => forgot(`${name}+mallory@players.test`, from(`192.0.${network}.2`)));
  }
  expect(await sent(`${name}+mallory@players.test`)).toBeLessThanOrEqual(env.ACCOUNT_EMAILS_PER_HOUR + 1);
  await forgot(email, from('203.0.113.9'));
  expect(await sent(email)).toBe(1);
});

test('what a stranger enters as the name of an account is in no email to its address', async () => {
  const email = freshEmail();
  const name = 'You won, open evil.example';
  await signUp(email, name);
  await signUp(email, name);
  await forgot(email);
  await api.post('/auth/verify-email/resend', { body: { email } });
  const rows = await db.outgoingMail.findMany({ where: { recipient: email }, select: { kind: true } });
  expect(rows.map(({ kind }) => kind).sort()).toEqual([
    'account_exists',
    'reset_password',
    'verify_email',
    'verify_email',
  ]);
  for (const kind of ['account_exists', 'reset_password', 'verify_email']) {
    const found = await lastEmail(email, kind);
    expect(found.text).not.toContain('evil');
    expect(found.html).not.toContain('evil');
  }
});

test.each([
  ['tags of one address', (name: string, at: number) => `${name}+${at}@players.test`],
  ['dots in one address at Gmail', (name: string, at: number) => `${name.slice(0, at)}.${name.slice(at)}@gmail.com`],
])('signing up with %s fills nobody’s inbox, and refuses nobody', async (_, alias) => {
  const name = newId('usr').replace('_', '');
  const responses = await times(8, (at) => signUp(alias(name, at + 1), 'Mallory'));
  expect(responses.map(({ status }) => status)).toEqual(Array(8).fill(201));
  const aliases = Array.from({ length: 8 }, (_unused, at) => alias(name, at + 1));
  const emails = await db.outgoingMail.count({ where: { recipient: { in: aliases } } });
  expect(emails).toBe(env.ACCOUNT_EMAILS_PER_NETWORK_PER_HOUR);
  // Its owner, who has not asked for any of them, still gets their own link.
  const bare = alias(name, 1).replace(/\+.*(?=@)|\.(?=.*@)/, '');
  await signUp(bare);
  expect(await sent(bare)).toBe(1);
});

test('whatever one person causes for an account takes one turn among emails', async () => {
  const email = freshEmail();
  await signUp(email);
  const linkFor = async (page: string) =>
    new RegExp(`${page}\\?token=([\\w-]+)`).exec((await lastEmail(email)).text)?.[1];
  await api.post('/auth/verify-email', { body: { token: await linkFor('verify-email'), password: 'a long password' } });
  await forgot(email);
  const reset = { token: await linkFor('reset-password'), password: 'a newer password' };
  expect((await api.post('/auth/reset-password', { body: reset })).status).toBe(200);
  const { body } = await api.post('/auth/token', { body: { email, password: reset.password } });
  const change = { currentPassword: reset.password, newPassword: 'the newest password' };
  const changed = await api.post('/me/password', { bearer: `Bearer ${body.accessToken}`, body: change });
  expect(changed.status).toBe(200);
  const rows = await db.outgoingMail.findMany({ where: { recipient: email }, select: { kind: true, askedBy: true } });
  expect(rows.filter(({ kind }) => kind === 'password_changed')).toHaveLength(2);
  expect(new Set(rows.map(({ askedBy }) => askedBy)).size).toBe(1);
});
