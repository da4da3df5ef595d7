import { encodeTime } from 'ulid';
import { newId } from '@/domain/ids';
import { day } from '@/domain/time/durations';
import { Prisma } from '@/generated/prisma/client';
import { encryptSecret } from '@/server/crypto';
import { afterCommit, deleteBatchSize, deleteInBatches, rowsOf, type Tx } from '@/server/db';
import { admitEmails, admitOwnEmails, isInvitation } from '@/server/email/budget';
import { causedBySql } from '@/server/email/claims';
import type { Email } from '@/server/email/layout';
import { wakeSender } from '@/server/email/sender';

/** An email for the outbox. `kind` says in logs and tests which one it is. */
type QueuedEmail = { to: string; kind: string; email: Email };

/** The id of the project or team that causes emails. What a person asks for themselves has none. */
type Source = { sourceId: string };

/** Whose turn emails take that people ask for, invitations, and what players cause others to get: the hash of the block of addresses of who does. */
type Asked = { askedBy: string };

/** Whose turn a digest takes: that of emails which are in it. */
type Caused = { causedBy: string };

type NewEmail = QueuedEmail & Partial<Source & Asked & Caused> & { dedupeKey?: string | null };

/** Encrypted until it is sent: emails contain links that sign people in. */
function outboxRow({ to: recipient, kind, email, sourceId = '', askedBy = '', causedBy, dedupeKey = null }: NewEmail) {
  const contentEncrypted = encryptSecret(JSON.stringify(email));
  return { id: newId('eml'), recipient, kind, sourceId, askedBy, causedBy, dedupeKey, contentEncrypted };
}

/** Writes rows whose `dedupeKey` is new, and has them sent after the commit. @returns their ids */
async function insert(tx: Tx, rows: ReturnType<typeof outboxRow>[]): Promise<Set<string>> {
  if (rows.length === 0) return new Set();
  const written = await rowsOf<{ id: string }>(
    tx,
    Prisma.sql`
    INSERT INTO "outgoing_mail" ("id", "recipient", "kind", "sourceId", "askedBy", "dedupeKey", "contentEncrypted", "causedBy", "recipientFrom", "dueAt")
    SELECT "id", "recipient", "kind", "sourceId", "askedBy", "dedupeKey", "contentEncrypted", coalesce("causedBy", ${Prisma.raw(causedBySql)}),
      (SELECT u."createdFrom" FROM "user" u WHERE u."email" = r."recipient"), now()
    FROM json_to_recordset(${JSON.stringify(rows)}::json) AS r("id" text, "recipient" text, "kind" text,
      "sourceId" text, "askedBy" text, "causedBy" text, "dedupeKey" text, "contentEncrypted" text)
    ON CONFLICT ("dedupeKey") DO NOTHING RETURNING "id"`,
  );
  if (written.length > 0) afterCommit(tx, wakeSender);
  return new Set(written.map(({ id }) => id));
}

/**
 * Has an email sent once the transaction of the change that it is about has committed. One without a source is one that its
 * recipient asked for.
 * @returns its id
 */
export async function queueEmail(tx: Tx, email: QueuedEmail & Partial<Source & Asked & Caused>): Promise<string> {
  const row = outboxRow(email);
  await insert(tx, [row]);
  return row.id;
}

/** Emails of one project that wait for the digest of one address, and invitations of one network; further ones are not stored. */
export const maxFolded = 50;

type Folded = { id: string; recipient: string; kind: string; sourceId: string; askedBy: string };

/** Whose places an email that waits for a digest takes: who invites can have many projects and teams. */
export const foldedFor = ({ kind, sourceId, askedBy }: Omit<Folded, 'id' | 'recipient'>): string =>
  isInvitation(kind) ? `by ${askedBy || sourceId}` : sourceId;

/** Leaves emails of the outbox, which are more than their recipients may be sent, to the digest. */
async function foldEmails(tx: Tx, folded: readonly Folded[]): Promise<void> {
  if (folded.length === 0) return;
  const waiting = await tx.outgoingMail.groupBy({
    by: ['recipient', 'kind', 'sourceId', 'askedBy'],
    where: {
      recipient: { in: folded.map(({ recipient }) => recipient) },
      foldedAt: { not: null },
      sentAt: null,
      failedAt: null,
    },
    _count: true,
  });
  const counts = new Map<string, number>();
  const count = ({ recipient, ...one }: Omit<Folded, 'id'>, more: number) => {
    const key = `${recipient} ${foldedFor(one)}`;
    const before = counts.get(key) ?? 0;
    counts.set(key, before + more);
    return before;
  };
  for (const { _count, ...one } of waiting) count(one, _count);
  const kept = new Set(folded.filter((one) => count(one, 1) < maxFolded).map(({ id }) => id));
  await tx.outgoingMail.updateMany({
    where: { id: { in: [...kept] } },
    data: { foldedAt: new Date(), dueAt: null },
  });
  // One person can cause millions a day of those that find no place.
  await tx.outgoingMail.deleteMany({ where: { id: { in: folded.flatMap(({ id }) => (kept.has(id) ? [] : [id])) } } });
}

/**
 * The addresses for which a digest of more than invitations waits. What comes after goes into it: who keeps on causing emails
 * would otherwise take each place that becomes free, and what others sent before would wait for as long.
 */
async function findWaiting(tx: Tx, rows: readonly { recipient: string }[]): Promise<Set<string>> {
  if (rows.length === 0) return new Set();
  const recipients = [...new Set(rows.map(({ recipient }) => recipient))];
  const found = await tx.outgoingMail.groupBy({
    by: ['recipient', 'kind'],
    where: { recipient: { in: recipients }, foldedAt: { not: null }, sentAt: null, failedAt: null },
  });
  return new Set(found.flatMap(({ recipient, kind }) => (isInvitation(kind) ? [] : [recipient])));
}

/**
 * Has emails sent that other people cause, except those whose `dedupeKey` is already in the outbox: what queues them can run
 * twice. What is more than an address may get waits for its digest.
 * @param emails `asked`: the recipient caused it themselves, or by registering agreed to get it at once
 * @returns the ids of the new ones that are sent by themselves
 */
export async function queueEmailsOnce(
  tx: Tx,
  emails: (QueuedEmail & Source & Partial<Asked> & { dedupeKey: string | null; asked?: boolean })[],
): Promise<string[]> {
  const rows = emails.map(outboxRow);
  const isNew = await insert(tx, rows);
  const [own, caused] = [true, false].map((wanted) =>
    rows.filter(({ id }, index) => isNew.has(id) && (emails[index]?.asked ?? false) === wanted),
  ) as [typeof rows, typeof rows];
  const ownAddresses = own.map(({ recipient }) => recipient);
  const ownAdmitted = await admitOwnEmails(tx, ownAddresses);
  const folded: Folded[] = own.filter((_, index) => !ownAdmitted[index]);
  for (const areInvitations of [false, true]) {
    const some = caused.filter(({ kind }) => isInvitation(kind) === areInvitations);
    const waiting = areInvitations ? new Set<string>() : await findWaiting(tx, some);
    folded.push(...some.filter(({ recipient }) => waiting.has(recipient)));
    const rest = some.filter(({ recipient }) => !waiting.has(recipient));
    const addresses = rest.map(({ recipient }) => recipient);
    const admitted = await admitEmails(tx, addresses, { areInvitations });
    folded.push(...rest.filter((_, index) => !admitted[index]));
  }
  await foldEmails(tx, folded);
  for (const { id } of folded) isNew.delete(id);
  return [...isNew];
}

/**
 * Has one email sent that someone else than its recipient caused.
 * @returns its id; null when it waits for the digest
 */
export async function queueEmailFromOthers(
  tx: Tx,
  email: QueuedEmail & Source & Partial<Asked>,
): Promise<string | null> {
  const [id] = await queueEmailsOnce(tx, [{ ...email, dedupeKey: null }]);
  return id ?? null;
}

/** How long sent and failed emails are stored. */
const retentionMs = 30 * day;

/**
 * Deletes emails that were sent or given up more than 30 days ago.
 * @returns how many were deleted
 */
export async function deleteOldEmails(now: Date = new Date()): Promise<number> {
  // Ids begin with their time, so that old emails are at the beginning of the primary key.
  const before = `eml_${encodeTime(now.getTime() - retentionMs).toLowerCase()}`;
  return deleteInBatches(
    `DELETE FROM outgoing_mail WHERE id IN
       (SELECT id FROM outgoing_mail WHERE id < $1 AND ("sentAt" IS NOT NULL OR "failedAt" IS NOT NULL)
        ORDER BY id LIMIT ${deleteBatchSize})`,
    [before],
  );
}
