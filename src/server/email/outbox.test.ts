import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { env } from '@/env';
import { encryptSecret } from '@/server/crypto';
import { closeDatabase, db } from '@/server/db';
import { resetPasswordEmail } from '@/server/email/account-emails';
import { deleteOldEmails, queueEmail, sendQueuedEmail, unsentEmails } from '@/server/email/outbox';
import { takeOverdue } from '@/server/events/relay';

afterAll(() => closeDatabase());

const email = resetPasswordEmail({ name: 'Ada', emailVerifiedAt: new Date() }, 'the-token');
const queue = (to: string) => db.$transaction((tx) => queueEmail(tx, { to, kind: 'reset_password', email }));
const eml = (id: string) => readFile(path.join(env.LAUREL_DATA_DIR, 'mail', `${id}.eml`), 'utf8');

test('an email is encrypted in the outbox, and its content deleted once it is sent', async () => {
  const id = await queue('ada@players.test');
  const waiting = await db.outgoingMail.findUniqueOrThrow({ where: { id } });
  expect(JSON.stringify(waiting)).not.toContain('the-token');
  expect(await sendQueuedEmail(id)).toBe('sent');
  const sent = await db.outgoingMail.findUniqueOrThrow({ where: { id } });
  expect(sent).toMatchObject({ contentEncrypted: null, sentAt: expect.any(Date), attempts: 1 });
  const file = await eml(id);
  expect(file).toContain('To: ada@players.test');
  expect(file).toContain('Subject: Choose a new password');
  expect(file).toContain('text/plain');
  expect(file).toContain('text/html');
});

test('of several senders at once, one sends', async () => {
  const id = await queue('ada@players.test');
  const results = await Promise.all(Array.from({ length: 8 }, () => sendQueuedEmail(id)));
  expect(results.filter((result) => result === 'sent')).toHaveLength(1);
  expect(await sendQueuedEmail(id)).toBe('skipped');
});

test('the relay finds emails that nobody has sent, but not sent or paused ones', async () => {
  const old = new Date(Date.now() - 60_000);
  const ids = [await queue('a@players.test'), await queue('b@players.test'), await queue('c@players.test')] as const;
  await db.outgoingMail.updateMany({ where: { id: { in: [...ids] } }, data: { createdAt: old } });
  await sendQueuedEmail(ids[1]);
  await db.outgoingMail.update({ where: { id: ids[2] }, data: { claimedUntil: new Date(Date.now() + 60_000) } });
  const due = (await takeOverdue(unsentEmails, 30_000)).map(({ id }) => id);
  expect(due).toContain(ids[0]);
  expect(due).not.toContain(ids[1]);
  expect(due).not.toContain(ids[2]);
});

test('a failed email is tried again after a pause, and given up after the last attempt', async () => {
  const id = await queue('ada@players.test');
  await db.outgoingMail.update({ where: { id }, data: { contentEncrypted: encryptSecret('not a message') } });
  expect(await sendQueuedEmail(id)).toBe('failed');
  const paused = await db.outgoingMail.findUniqueOrThrow({ where: { id } });
  expect(paused.lastError).not.toBeNull();
  expect(paused.claimedUntil?.getTime()).toBeGreaterThan(Date.now() + 30_000);
  expect(await sendQueuedEmail(id)).toBe('skipped');
  await db.outgoingMail.update({ where: { id }, data: { claimedUntil: null, attempts: 11 } });
  expect(await sendQueuedEmail(id)).toBe('failed');
  expect(await db.outgoingMail.findUniqueOrThrow({ where: { id } })).toMatchObject({
    failedAt: expect.any(Date),
    contentEncrypted: null,
  });
});

test('old emails are deleted once they were sent', async () => {
  const id = await queue('ada@players.test');
  const open = await queue('ada@players.test');
  await sendQueuedEmail(id);
  await db.outgoingMail.updateMany({ where: { id: { in: [id, open] } }, data: { createdAt: new Date(0) } });
  await deleteOldEmails();
  expect(await db.outgoingMail.count({ where: { id: { in: [id, open] } } })).toBe(1);
});
