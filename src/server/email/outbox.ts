import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createTransport, type SendMailOptions } from 'nodemailer';
import { newId } from '@/domain/ids';
import { env } from '@/env';
import { decryptSecret, encryptSecret } from '@/server/crypto';
import { db, type Tx } from '@/server/db';
import { logger } from '@/server/logger';

/** A plain letter: paragraphs, at most one link to press, and why it was sent. */
export type Email = {
  subject: string;
  paragraphs: string[];
  action?: { label: string; url: string };
  /** Why the reader gets this and what to do when it was not them. */
  reason: string;
  /** Where the reader ends such letters: a page, and the address that mail programs call. */
  unsubscribe?: { page: string; oneClick: string };
};

export type EmailContent = { subject: string; text: string; html: string; headers?: Record<string, string> };

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** The letter as text and as HTML that needs no style sheet and loads nothing. */
export function composeEmail(letter: Email): EmailContent {
  const { paragraphs, action, reason, unsubscribe } = letter;
  const end = unsubscribe ? `${reason}\nNo more mail like this: ${unsubscribe.page}` : reason;
  const text = [...paragraphs, ...(action ? [`${action.label}:\n${action.url}`] : []), `-- \n${end}`].join('\n\n');
  const paragraph = (line: string, style = '') => `<p style="margin:0 0 16px;${style}">${escapeHtml(line)}</p>`;
  const small = 'font-size:13px;color:#5b6460';
  const link = action
    ? `<p style="margin:24px 0"><a href="${escapeHtml(action.url)}" style="display:inline-block;padding:10px 16px;border-radius:6px;background:#1f6b45;color:#ffffff;text-decoration:none;font-weight:600">${escapeHtml(action.label)}</a></p>` +
      paragraph(`Or open ${action.url}`, `${small};word-break:break-all`)
    : '';
  const stop = unsubscribe
    ? `<p style="margin:0;${small}"><a href="${escapeHtml(unsubscribe.page)}" style="color:#5b6460">No more mail like this</a></p>`
    : '';
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(letter.subject)}</title></head><body style="margin:0;padding:24px;background:#f6f7f4;color:#16201b;font:16px/1.5 system-ui,sans-serif"><div style="max-width:520px;margin:0 auto;padding:24px;background:#ffffff;border-radius:8px"><p style="margin:0 0 24px;font-weight:700;letter-spacing:.02em">Laurel</p>${paragraphs.map((line) => paragraph(line)).join('')}${link}<hr style="border:0;border-top:1px solid #e3e6e1;margin:24px 0">${paragraph(reason, small)}${stop}</div></body></html>`;
  // RFC 2369 and RFC 8058: mail programs show a button, which posts to the address.
  const headers = unsubscribe && {
    'List-Unsubscribe': `<${unsubscribe.oneClick}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  };
  return { subject: letter.subject, text, html, ...(headers ? { headers } : {}) };
}

/** A letter to put in the outbox. */
type QueuedEmail = { to: string; kind: string; email: Email };

function outboxRow({ to, kind, email: letter }: QueuedEmail) {
  return {
    id: newId('eml'),
    recipient: to,
    kind,
    contentEncrypted: encryptSecret(JSON.stringify(composeEmail(letter))),
  };
}

/**
 * Puts a letter in the outbox, in the transaction of the change that causes it.
 * @returns the id to hand to `emailQueued` after commit
 */
export async function queueEmail(tx: Tx, mail: QueuedEmail): Promise<string> {
  const data = outboxRow(mail);
  await tx.outgoingMail.create({ data, select: { id: true } });
  return data.id;
}

/**
 * Puts letters in the outbox, but those whose `dedupeKey` stands there already: what causes them may come twice.
 * @returns the ids of the new ones, to hand to `emailQueued`
 */
export async function queueEmailsOnce(tx: Tx, mails: (QueuedEmail & { dedupeKey: string })[]): Promise<string[]> {
  const rows = await tx.outgoingMail.createManyAndReturn({
    data: mails.map((mail) => ({ ...outboxRow(mail), dedupeKey: mail.dedupeKey })),
    skipDuplicates: true,
    select: { id: true },
  });
  return rows.map(({ id }) => id);
}

/**
 * Sends one message through SMTP_URL or, without one, writes it as `mail/<id>.eml` in the data directory.
 * @throws when the mail server refuses it or cannot be reached
 */
async function deliverEmail(id: string, to: string, content: EmailContent): Promise<void> {
  const host = env.MAIL_FROM.match(/@([^>\s]+)/)?.[1] ?? 'laurel';
  // The same id again after a crash lets mail servers drop the copy.
  const message: SendMailOptions = { from: env.MAIL_FROM, to, messageId: `<${id}@${host}>`, ...content };
  if (env.SMTP_URL) {
    await createTransport({ url: env.SMTP_URL, connectionTimeout: 10_000, socketTimeout: 30_000 }).sendMail(message);
    return;
  }
  const built = await createTransport({ streamTransport: true, buffer: true }).sendMail(message);
  const folder = path.join(env.LAUREL_DATA_DIR, 'mail');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = path.join(folder, `${id}.eml`);
  await writeFile(`${file}.part`, built.message, { mode: 0o600 });
  await rename(`${file}.part`, file);
}

const minute = 60_000;
/** Longer than any sending takes, so that nobody sends the same message beside us. */
const claim = 2 * minute;
const maxAttempts = 12;
/** How long a message that nobody has begun to send may be on its way through the functions. */
const handover = minute / 2;

/** Pause after the n-th failure: one minute, doubling, two hours at most. */
function pauseAfter(attempts: number): number {
  return Math.min(2 ** (attempts - 1), 120) * minute;
}

/**
 * Sends one message of the outbox, unless it was sent or someone else is at it. A failure is kept and tried again by the
 * sweep, twelve times over about half a day.
 */
export async function sendQueuedEmail(id: string): Promise<'sent' | 'failed' | 'skipped'> {
  const now = new Date();
  const [row] = await db.outgoingMail.updateManyAndReturn({
    where: { id, sentAt: null, failedAt: null, OR: [{ claimedUntil: null }, { claimedUntil: { lte: now } }] },
    data: { attempts: { increment: 1 }, claimedUntil: new Date(now.getTime() + claim) },
    select: { recipient: true, kind: true, contentEncrypted: true, attempts: true },
  });
  if (!row?.contentEncrypted) return 'skipped';
  try {
    await deliverEmail(id, row.recipient, JSON.parse(decryptSecret(row.contentEncrypted)) as EmailContent);
  } catch (error) {
    const over = row.attempts >= maxAttempts;
    logger.warn({ err: error, mailId: id, kind: row.kind, attempts: row.attempts, over }, 'mail was not sent');
    const lastError = error instanceof Error ? error.message.slice(0, 500) : 'unknown';
    await db.outgoingMail.update({
      where: { id },
      data: over
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

/** Ids of messages that wait longer than their function would take, oldest first. */
export async function dueEmails(limit: number): Promise<string[]> {
  const now = Date.now();
  const rows = await db.outgoingMail.findMany({
    where: {
      sentAt: null,
      failedAt: null,
      createdAt: { lte: new Date(now - handover) },
      OR: [{ claimedUntil: null }, { claimedUntil: { lte: new Date(now) } }],
    },
    orderBy: { createdAt: 'asc' },
    take: limit,
    select: { id: true },
  });
  return rows.map((row) => row.id);
}
