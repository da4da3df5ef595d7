import { randomBytes } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { newId } from '@/domain/ids';
import { closeDatabase, db, pool } from '@/server/db';
import { resetPasswordEmail } from '@/server/email/account-emails';
import { deleteOldEmails, queueEmail, queueEmailsOnce } from '@/server/email/outbox';
import { deleteExpiredTokens } from '@/server/routers/auth/data-deletions';
import { freshEmail } from '@/test/email';
import { makeUser } from '@/test/factories';

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

test('an email says from where its recipient signed up, also once they have changed their address', async () => {
  const { id, email: before } = await makeUser();
  const to = freshEmail();
  await db.user.update({ where: { id }, data: { email: to, createdFrom: 'block' } });
  const emails = [before, to].map((one) => ({ to: one, kind: 'update', email, dedupeKey: null, sourceId: 'prj_1' }));
  await db.$transaction((tx) => queueEmailsOnce(tx, emails));
  const fromOf = async (recipient: string) =>
    (await db.outgoingMail.findFirstOrThrow({ where: { recipient } })).recipientFrom;
  expect([await fromOf(before), await fromOf(to)]).toEqual([null, 'block']);
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

test('no statement deletes more than a batch of what is old', async () => {
  await pool.query(`
    CREATE TABLE deleted_at_once (rows int);
    CREATE FUNCTION count_deleted() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN INSERT INTO deleted_at_once SELECT count(*) FROM gone; RETURN NULL; END $$;
    CREATE TRIGGER count_deleted AFTER DELETE ON outgoing_mail
      REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION count_deleted();
    CREATE TRIGGER count_deleted AFTER DELETE ON refresh_token
      REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION count_deleted()`);
  const model = await db.outgoingMail.findUniqueOrThrow({ where: { id: await queue() } });
  const sentAt = new Date();
  const emails = Array.from({ length: 12_000 }, () => ({ ...model, id: newId('eml'), sentAt, dueAt: null }));
  await db.outgoingMail.createMany({ data: emails });
  const user = await makeUser();
  const expiresAt = new Date(0);
  const tokens = Array.from({ length: 12_000 }, () => ({
    ...{ id: newId('rft'), userId: user.id, sessionVersion: 0, familyId: 'old', expiresAt },
    tokenHash: randomBytes(32).toString('hex'),
  }));
  await db.refreshToken.createMany({ data: tokens });
  expect(await deleteOldEmails(new Date(Date.now() + 31 * 86_400_000))).toBeGreaterThanOrEqual(12_000);
  expect(await deleteExpiredTokens()).toBe(12_000);
  const { rows } = await pool.query<{ most: number }>('SELECT max(rows) AS most FROM deleted_at_once');
  expect(rows[0]?.most).toBeLessThanOrEqual(10_000);
});
