import { expect, test } from 'vitest';
import { hashPassword } from '@/server/auth/passwords';
import { db } from '@/server/db';
import { authenticateByLink } from '@/server/routers/auth/data-link-sign-in';
import { attempts } from '@/server/routers/auth/rules';
import { makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';
import { mintEmailToken } from './data';

const api = setupTestServer();
const [ip, chosen] = ['127.0.0.1', 'a password of the owner'];

async function makeLink() {
  const user = await makeUser();
  await db.user.update({ where: { id: user.id }, data: { passwordHash: await hashPassword('correct horse battery') } });
  const token = await db.$transaction((tx) => mintEmailToken(tx, user.id, 'reset_password'));
  const signIn = (password: string) => api.post('/auth/token', { body: { email: user.email, password } });
  const reset = () => api.post('/auth/reset-password', { body: { token, password: chosen } });
  return { user, token, signIn, reset };
}

test('whose attempts strangers behind the same address have used up signs in with the link of a new password', async () => {
  const { user, token, signIn, reset } = await makeLink();
  await Promise.all(Array.from({ length: attempts.signInPair.points }, () => signIn('guess')));
  expect((await reset()).status).toBe(200);
  expect((await signIn(chosen)).status).toBe(429);
  expect(await authenticateByLink({ token, password: chosen, ip })).toMatchObject({ id: user.id, sessionVersion: 1 });
});

test('a link signs in with the password that was chosen, for a quarter of an hour, and after it was used', async () => {
  const { user, token, reset } = await makeLink();
  const refused = { reason: 'INVALID_CREDENTIALS' };
  await expect(authenticateByLink({ token, password: 'correct horse battery', ip })).rejects.toMatchObject(refused);
  await reset();
  await expect(authenticateByLink({ token, password: 'guess', ip })).rejects.toMatchObject(refused);
  await expect(authenticateByLink({ token: 'guess', password: chosen, ip })).rejects.toMatchObject(refused);
  await db.user.update({ where: { id: user.id }, data: { suspendedAt: new Date() } });
  await expect(authenticateByLink({ token, password: chosen, ip })).rejects.toMatchObject({
    reason: 'ACCOUNT_SUSPENDED',
  });
  const usedAt = new Date(Date.now() - 15 * 60_000);
  await db.emailToken.updateMany({ where: { userId: user.id }, data: { usedAt } });
  await expect(authenticateByLink({ token, password: chosen, ip })).rejects.toMatchObject(refused);
});

test('guesses with a link have an end', async () => {
  const { token, reset } = await makeLink();
  await reset();
  const guess = (password: string) => authenticateByLink({ token, password, ip }).catch(({ reason }) => reason);
  const guesses = Array.from({ length: attempts.signInPair.points }, () => guess('guess'));
  expect(new Set(await Promise.all(guesses))).toEqual(new Set(['INVALID_CREDENTIALS']));
  expect(await guess(chosen)).toBe('TOO_MANY_ATTEMPTS');
});
