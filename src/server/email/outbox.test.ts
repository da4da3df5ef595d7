import { afterAll, expect, test } from 'vitest';
import { closeDatabase, db } from '@/server/db';
import { resetPasswordEmail } from '@/server/email/account-emails';
import { deleteOldEmails, queueEmail, queueEmailsOnce } from '@/server/email/outbox';
import { freshEmail } from '@/test/email';

afterAll(() => closeDatabase());

const email = resetPasswordEmail({ name: 'Ada', emailVerifiedAt: new Date() }, 'the-token');
const queue = () => db.$transaction((tx) => queueEmail(tx, { to: 'ada@players.test', kind: 'reset_password', email }));

test('an email is encrypted in the outbox, and due at once', async () => {
  const row = await db.outgoingMail.findUniqueOrThrow({ where: { id: await queue() } });
  expect(row).toMatchObject({ sourceId: '', attempts: 0, dueAt: expect.any(Date), sentAt: null });
  expect(JSON.stringify(row)).not.toContain('the-token');
});

test('an email that is there already is not queued again, however many come at once', async () => {
  const emails = Array.from({ length: 3 }, (_, index) => {
    const to = freshEmail();
    return { to, kind: 'update', email, dedupeKey: `${to}:${index}`, sourceId: 'prj_1' };
  });
  const queueAll = () => db.$transaction((tx) => queueEmailsOnce(tx, emails));
  const ids = (await Promise.all([queueAll(), queueAll(), queueAll()])).flat();
  expect(new Set(ids).size).toBe(3);
  expect(ids).toHaveLength(3);
  expect(await queueAll()).toEqual([]);
});

test('old emails are deleted once they were sent', async () => {
  const [sent, open] = [await queue(), await queue()];
  await db.outgoingMail.update({ where: { id: sent }, data: { sentAt: new Date(), dueAt: null } });
  const left = async () =>
    (await db.outgoingMail.findMany({ where: { id: { in: [sent, open] } } })).map(({ id }) => id).sort();
  await deleteOldEmails(new Date(Date.now() + 29 * 86_400_000));
  expect(await left()).toEqual([sent, open].sort());
  await deleteOldEmails(new Date(Date.now() + 31 * 86_400_000));
  expect(await left()).toEqual([open]);
});
