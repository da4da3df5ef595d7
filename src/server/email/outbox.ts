import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createTransport, type SendMailOptions } from 'nodemailer';
import { newId } from '@/domain/ids';
import { withDeadline } from '@/domain/time/deadline';
import { day, durationInWords, minute, second } from '@/domain/time/durations';
import { env } from '@/env';
import { decryptSecret, encryptSecret } from '@/server/crypto';
import { db, type Tx } from '@/server/db';
import { admitEmails } from '@/server/email/budget';
import { composeEmail, type Email, type EmailContent } from '@/server/email/layout';
import type { RelayedJob } from '@/server/events/relay';
import { sendAfterCommit } from '@/server/jobs/client';
import { emailQueued } from '@/server/jobs/events';
import { logger } from '@/server/logger';

/** An email for the outbox. `kind` says in logs and tests which one it is. */
type QueuedEmail = { to: string; kind: string; email: Email };

/** Encrypted until it is sent: emails contain links that sign people in. */
function outboxRow({ to, kind, email }: QueuedEmail) {
  return {
    id: newId('eml'),
    recipient: to,
    kind,
    contentEncrypted: encryptSecret(JSON.stringify(composeEmail(email))),
  };
}

/**
 * Puts an email in the outbox that its recipient asked for, in the transaction of the change that it is about.
 * @returns its id, for `startSending` after the commit
 */
export async function queueEmail(tx: Tx, email: QueuedEmail): Promise<string> {
  const data = outboxRow(email);
  await tx.outgoingMail.create({ data, select: { id: true } });
  return data.id;
}

/** Emails that wait for the digest of one address; it names no further ones. */
export const maxFolded = 50;

/** Leaves emails of the outbox, which are more than their recipients may be sent, to the digest. */
async function foldEmails(tx: Tx, folded: { id: string; recipient: string; email: Email }[]): Promise<void> {
  if (folded.length === 0) return;
  const waiting = await tx.outgoingMail.groupBy({
    by: ['recipient'],
    where: {
      recipient: { in: folded.map(({ recipient }) => recipient) },
      foldedAt: { not: null },
      sentAt: null,
      failedAt: null,
    },
    _count: true,
  });
  const counts = new Map(waiting.map(({ recipient, _count }) => [recipient, _count]));
  const kept = folded.filter(({ recipient }) => {
    const count = counts.get(recipient) ?? 0;
    counts.set(recipient, count + 1);
    return count < maxFolded;
  });
  await tx.$executeRaw`
    UPDATE "outgoing_mail" m SET "foldedAt" = now(), "contentEncrypted" = k."content"
    FROM unnest(${kept.map(({ id }) => id)}::text[],
      ${kept.map(({ email }) => encryptSecret(JSON.stringify(email)))}::text[]) AS k ("id", "content")
    WHERE m."id" = k."id"`;
  const dropped = folded.filter((row) => !kept.includes(row)).map(({ id }) => id);
  await tx.outgoingMail.updateMany({
    where: { id: { in: dropped } },
    data: { failedAt: new Date(), contentEncrypted: null, lastError: 'the digest of this address is full' },
  });
}

/**
 * Puts emails in the outbox that other people cause, except those whose `dedupeKey` is already there: the function that
 * queues them can run twice. What is more than an address may get waits for its digest.
 * @param emails `asked`: the recipient caused it themselves
 * @returns the ids of the new ones that are sent by themselves
 */
export async function queueEmailsOnce(
  tx: Tx,
  emails: (QueuedEmail & { dedupeKey: string | null; asked?: boolean })[],
): Promise<string[]> {
  const rows = emails.map((email) => ({ ...email, row: { ...outboxRow(email), dedupeKey: email.dedupeKey } }));
  const created = await tx.outgoingMail.createManyAndReturn({
    data: rows.map(({ row }) => row),
    skipDuplicates: true,
    select: { id: true },
  });
  const isNew = new Set(created.map(({ id }) => id));
  const caused = rows.filter(({ row, asked }) => isNew.has(row.id) && !asked);
  const admitted = await admitEmails(
    tx,
    caused.map(({ to }) => to),
  );
  const folded = caused.filter((_, index) => !admitted[index]).map(({ row, email }) => ({ ...row, email }));
  await foldEmails(tx, folded);
  for (const { id } of folded) isNew.delete(id);
  return [...isNew];
}

/**
 * Puts one email in the outbox that someone else than its recipient caused.
 * @returns its id, for `startSending` after the commit; null when it waits for the digest
 */
export async function queueEmailFromOthers(tx: Tx, email: QueuedEmail): Promise<string | null> {
  const [id] = await queueEmailsOnce(tx, [{ ...email, dedupeKey: null }]);
  return id ?? null;
}

/** Starts sending an email of the outbox, after the commit. If this fails, the relay has it sent. */
export async function startSending(emailId: string | null): Promise<void> {
  if (emailId) await sendAfterCommit(emailQueued.create({ emailId }, { id: emailId }));
}

/** How long a mail server has to take an email. */
const sendingMs = 40 * second;

/**
 * Sends an email through SMTP_URL or, without one, writes it to `mail/<id>.eml` in the data directory.
 * @throws when the mail server rejects it or cannot be reached
 */
async function deliverEmail(id: string, to: string, content: EmailContent): Promise<void> {
  const host = env.MAIL_FROM.match(/@([^>\s]+)/)?.[1] ?? 'laurel';
  // A repetition after a crash has the same id, so that mail servers can drop the copy.
  const message: SendMailOptions = { from: env.MAIL_FROM, to, messageId: `<${id}@${host}>`, ...content };
  if (env.SMTP_URL) {
    const timeouts = { connectionTimeout: 10 * second, socketTimeout: 30 * second };
    const sent = createTransport({ url: env.SMTP_URL, ...timeouts }).sendMail(message);
    await withDeadline(sent, sendingMs, `the mail server has not taken it within ${durationInWords(sendingMs)}`);
    return;
  }
  const built = await createTransport({ streamTransport: true, buffer: true }).sendMail(message);
  const folder = path.join(env.LAUREL_DATA_DIR, 'mail');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = path.join(folder, `${id}.eml`);
  await writeFile(`${file}.part`, built.message, { mode: 0o600 });
  await rename(`${file}.part`, file);
}

/** How long one sender has an email to itself; longer than any sending takes. */
const claimMs = sendingMs + 5 * second;
const maxAttempts = 12;
/** How long sent and failed emails are stored. */
const retentionMs = 30 * day;

/** Pause after the n-th failure: one minute, doubling up to two hours. */
function pauseAfter(attempts: number): number {
  return Math.min(2 ** (attempts - 1), 120) * minute;
}

/**
 * Sends one email of the outbox, unless it was sent or is being sent. After a failure, the relay has it tried again, up to
 * `maxAttempts` times over about half a day.
 */
export async function sendQueuedEmail(id: string): Promise<'sent' | 'failed' | 'skipped'> {
  const now = new Date();
  const [row] = await db.outgoingMail.updateManyAndReturn({
    where: {
      id,
      sentAt: null,
      failedAt: null,
      foldedAt: null,
      OR: [{ claimedUntil: null }, { claimedUntil: { lte: now } }],
    },
    data: { attempts: { increment: 1 }, claimedUntil: new Date(now.getTime() + claimMs) },
    select: { recipient: true, kind: true, contentEncrypted: true, attempts: true },
  });
  if (!row?.contentEncrypted) return 'skipped';
  try {
    await deliverEmail(id, row.recipient, JSON.parse(decryptSecret(row.contentEncrypted)) as EmailContent);
  } catch (error) {
    const gaveUp = row.attempts >= maxAttempts;
    logger.warn({ err: error, emailId: id, kind: row.kind, attempts: row.attempts, gaveUp }, 'could not send an email');
    const lastError = error instanceof Error ? error.message.slice(0, 500) : 'unknown';
    await db.outgoingMail.update({
      where: { id },
      data: gaveUp
        ? { lastError, failedAt: new Date(), contentEncrypted: null }
        : { lastError, claimedUntil: new Date(Date.now() + pauseAfter(row.attempts)) },
      select: { id: true },
    });
    return 'failed';
  }
  await db.outgoingMail.update({
    where: { id },
    data: { sentAt: new Date(), contentEncrypted: null, claimedUntil: null, lastError: null },
    select: { id: true },
  });
  return 'sent';
}

/** Emails whose function was lost, or that wait for another try. */
export const unsentEmails: RelayedJob<null> = {
  name: 'emails',
  overdue: `
    SELECT "id", NULL::jsonb AS "data" FROM "outgoing_mail"
    WHERE "sentAt" IS NULL AND "failedAt" IS NULL AND "foldedAt" IS NULL AND "createdAt" <= now() - $1::interval
      AND ("claimedUntil" IS NULL OR "claimedUntil" <= now()) ORDER BY "createdAt"`,
  events: (due) => due.map(({ id }) => emailQueued.create({ emailId: id })),
};

/**
 * Deletes emails that were sent or given up more than 30 days ago.
 * @returns how many were deleted
 */
export async function deleteOldEmails(now: Date = new Date()): Promise<number> {
  const createdAt = { lt: new Date(now.getTime() - retentionMs) };
  const { count } = await db.outgoingMail.deleteMany({
    where: { createdAt, OR: [{ sentAt: { not: null } }, { failedAt: { not: null } }] },
  });
  return count;
}
