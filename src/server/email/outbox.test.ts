import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { env } from '@/env';
import { decryptSecret, encryptSecret } from '@/server/crypto';
import { closeDatabase, db } from '@/server/db';
import { resetPasswordEmail } from '@/server/email/account-emails';
import { composeEmail, dueEmails, queueEmail, sendQueuedEmail } from '@/server/email/outbox';
import { forgetExpired } from '@/server/routers/auth/data';

afterAll(() => closeDatabase());

const letter = resetPasswordEmail('<b>Ada & Co', 'the-token');
const queue = (to: string) => db.$transaction((tx) => queueEmail(tx, { to, kind: 'reset_password', email: letter }));
const eml = (id: string) => readFile(path.join(env.LAUREL_DATA_DIR, 'mail', `${id}.eml`), 'utf8');

test('a letter is text and HTML, and a name cannot bring markup into it', () => {
  const { text, html } = composeEmail(letter);
  expect(text).toContain('/reset-password?token=the-token');
  expect(html).toContain('/reset-password?token=the-token');
  expect(html).not.toContain('<b>');
});

test('what waits in the outbox is not readable there, and gone once sent', async () => {
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

test('of many senders at once one sends', async () => {
  const id = await queue('ada@players.test');
  const results = await Promise.all(Array.from({ length: 8 }, () => sendQueuedEmail(id)));
  expect(results.filter((result) => result === 'sent')).toHaveLength(1);
  expect(await sendQueuedEmail(id)).toBe('skipped');
});

test('a message that nobody came to send is found by the sweep, a sent or paused one is not', async () => {
  const old = new Date(Date.now() - 60_000);
  const ids = [await queue('a@players.test'), await queue('b@players.test'), await queue('c@players.test')] as const;
  await db.outgoingMail.updateMany({ where: { id: { in: [...ids] } }, data: { createdAt: old } });
  await sendQueuedEmail(ids[1]);
  await db.outgoingMail.update({ where: { id: ids[2] }, data: { claimedUntil: new Date(Date.now() + 60_000) } });
  const due = await dueEmails(100);
  expect(due).toContain(ids[0]);
  expect(due).not.toContain(ids[1]);
  expect(due).not.toContain(ids[2]);
});

test('a failure is kept with a pause, and given up at last', async () => {
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

test('old mail is forgotten', async () => {
  const id = await queue('ada@players.test');
  const open = await queue('ada@players.test');
  await sendQueuedEmail(id);
  await db.outgoingMail.updateMany({ where: { id: { in: [id, open] } }, data: { createdAt: new Date(0) } });
  await forgetExpired();
  expect(await db.outgoingMail.count({ where: { id: { in: [id, open] } } })).toBe(1);
});

test('a secret comes back as it was, differs each time, and does not bear tampering', () => {
  const sealed = encryptSecret('geheim');
  expect(decryptSecret(sealed)).toBe('geheim');
  expect(encryptSecret('geheim')).not.toBe(sealed);
  const [keyId, body = ''] = sealed.split('.');
  expect(() => decryptSecret(`${keyId}.${body.startsWith('A') ? 'B' : 'A'}${body.slice(1)}`)).toThrow();
  expect(() => decryptSecret(`00000000.${body}`)).toThrow(/another SECRETS_KEY/);
});
