import { expect, test } from 'vitest';
import { db } from '@/server/db';
import { unsubscribeAddresses, unsubscribeToken } from '@/server/email/unsubscribe';
import { makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';

const server = setupTestServer();

const wants = async (id: string) => (await db.user.findUniqueOrThrow({ where: { id } })).emailNotifications;
const pathOf = (url: string) => new URL(url).pathname + new URL(url).search;

test("a mail program's one click ends the mail without signing in; opening the address does not", async () => {
  const user = await makeUser();
  const address = pathOf(unsubscribeAddresses(user.id).oneClick);
  expect((await server.get(address)).status).toBe(405);
  expect(await wants(user.id)).toBe(true);
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const answer = await server.post(address, { raw: 'List-Unsubscribe=One-Click', headers });
  expect(answer.status).toBe(200);
  expect(await wants(user.id)).toBe(false);
  expect((await server.post(address)).status).toBe(200);
});

test("another's token, a shortened one and none do nothing", async () => {
  const [ada, bo] = [await makeUser(), await makeUser()];
  const forged = `${bo.id}.${unsubscribeToken(ada.id).split('.')[1]}`;
  for (const token of ['', 'x', bo.id, `${bo.id}.`, forged, unsubscribeToken(bo.id).slice(0, -1)]) {
    expect((await server.post(`/api/mail/unsubscribe?token=${token}`)).status).toBe(404);
    await expect(server.trpc().me.mail.set.mutate({ token, emailNotifications: false })).rejects.toMatchObject({
      data: { reason: 'INVALID_TOKEN' },
    });
  }
  expect(await wants(bo.id)).toBe(true);
});

test('the page reads the setting, switches it off and on, and shows no whole address', async () => {
  const user = await makeUser({ email: 'ada.lovelace@players.test' });
  const token = unsubscribeToken(user.id);
  const { mail } = server.trpc().me;
  expect(await mail.read.query({ token })).toEqual({ email: 'a…@players.test', emailNotifications: true });
  await mail.set.mutate({ token, emailNotifications: false });
  expect(await wants(user.id)).toBe(false);
  await mail.set.mutate({ token, emailNotifications: true });
  expect(await wants(user.id)).toBe(true);
});

test('the setting is part of the account', async () => {
  const user = await makeUser();
  expect((await server.get('/me', user)).body).toMatchObject({ emailNotifications: true });
  const body = { emailNotifications: false };
  expect((await server.patch('/me', { bearer: user.bearer, body })).body).toMatchObject(body);
  expect(await wants(user.id)).toBe(false);
});
