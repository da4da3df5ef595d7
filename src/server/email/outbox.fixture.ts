import { afterAll, afterEach, beforeEach } from 'vitest';
import { newId } from '@/domain/ids';
import { env } from '@/env';
import { closeDatabase, db } from '@/server/db';
import { resetPasswordEmail } from '@/server/email/account-emails';
import { queueEmail, queueEmailFromOthers, queueEmailsOnce } from '@/server/email/outbox';
import { stopSender } from '@/server/email/sender';
import { hashedSubject } from '@/server/limits/rate-limit';
import { freshEmail } from '@/test/email';
import { makeProject, makeUser } from '@/test/factories';
import { until } from '@/test/receiver';

/** Empties the outbox before each test of a file. After it, the sender stops and the settings are as they were. */
export function setupOutbox(): void {
  const settings = { ...env };
  beforeEach(() => db.outgoingMail.deleteMany());
  afterEach(async () => {
    // What is under way ends with the test's server, and would otherwise fail in the next test.
    await stopSender(5_000);
    Object.assign(env, settings);
  });
  afterAll(() => closeDatabase());
}

export const email = resetPasswordEmail({ name: 'Ada', emailVerifiedAt: new Date() }, 'the-token');

/** Has somebody ask for an email. */
export const ask = (to = freshEmail(), askedBy = '') =>
  db.$transaction((tx) =>
    queueEmail(tx, { to, kind: 'reset_password', email, askedBy: askedBy && hashedSubject(askedBy) }),
  );
/** Has somebody sign up from a block. */
export async function signUp(to: string, block: string) {
  const createdFrom = hashedSubject(block);
  const account = { id: newId('usr'), name: 'Ada', email: to, createdFrom };
  await db.user.upsert({ where: { email: to }, create: account, update: { createdFrom }, select: { id: true } });
  await db.$transaction((tx) => queueEmail(tx, { to, kind: 'verify_email', email, askedBy: createdFrom }));
}
/** Has people of many blocks ask for emails at a domain, which is well known once they have them. @returns to whom */
export async function makeKnown(domain: string): Promise<string[]> {
  const recipients = Array.from({ length: 10 }, (_, index) => `known${index}@${domain}`);
  for (const [index, to] of recipients.entries()) await ask(to, `home ${index}`);
  await until(async () => (await unsent()) === 0);
  return recipients;
}
/** Has a source invite somebody. */
export function invite(sourceId: string, block: string, to: string) {
  const invitation = { to, kind: 'team_invitation', email, sourceId, askedBy: hashedSubject(block) };
  return db.$transaction((tx) => queueEmailFromOthers(tx, invitation));
}
/** Projects of one account. @returns their ids */
export async function makeOwnProjects(count: number): Promise<string[]> {
  const { id: createdById } = await makeUser();
  const projects = await Promise.all(Array.from({ length: count }, () => makeProject()));
  const ids = projects.map(({ project }) => project.id).sort();
  await db.project.updateMany({ where: { id: { in: ids } }, data: { createdById } });
  return ids;
}
/** Has a source send emails. @returns to whom */
export async function cause(sourceId: string, count: number, name = '', domain = ''): Promise<string[]> {
  const recipients = Array.from({ length: count }, () => `${name}${freshEmail()}${domain}`);
  const emails = recipients.map((to) => ({ to, kind: 'update', email, sourceId, dedupeKey: to, asked: true }));
  await db.$transaction((tx) => queueEmailsOnce(tx, emails));
  return recipients;
}
export const unsent = () => db.outgoingMail.count({ where: { sentAt: null } });
export const rowOf = (id: string) => db.outgoingMail.findUniqueOrThrow({ where: { id } });
/** As if so much time had passed since emails were claimed or failed. */
export const letPass = (minutes: number) =>
  db.$executeRaw`UPDATE outgoing_mail SET "dueAt" = "dueAt" - ${minutes} * interval '1 minute', "createdAt" = "createdAt" - ${minutes} * interval '1 minute'`;
