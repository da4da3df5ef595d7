import { counted } from '@/domain/text/counted';
import { publicUrl } from '@/env';
import { decryptSecret } from '@/server/crypto';
import { db, type Tx } from '@/server/db';
import { admitEmails, isInvitation, roomInMs } from '@/server/email/budget';
import { type Email, namesLeftOut } from '@/server/email/layout';
import { foldedFor, maxFolded, queueEmail } from '@/server/email/outbox';
import { logger } from '@/server/logger';

/** Emails that a digest names; the reader finds the others in the app. */
const maxListed = 20;
/** Invitations of a digest, which names them all: some can be accepted by their link alone. Further ones wait for the next. */
const maxInvitations = 10;

/** One email in place of those that others caused within a short time. */
export function digestEmail(updates: readonly Email[], invitations: readonly Email[] = []): Email {
  const folded = [...updates, ...invitations];
  const listed = [...updates.slice(0, maxListed - invitations.length), ...invitations];
  const more = folded.length - listed.length;
  return {
    subject: `${counted(folded.length, 'more update')} from Laurel`,
    paragraphs: [
      'Hello,',
      `We had ${counted(folded.length, 'more email')} for you within a short time and put them into this one.`,
    ],
    items: listed.map(({ subject, action }) => ({ text: subject, url: action?.url })),
    after: more > 0 ? `And ${more} more.` : undefined,
    action: { label: 'Open Laurel', url: `${publicUrl}/me` },
    reason: 'You get this email because of your account, registrations or invitations on Laurel.',
    unsubscribe: folded.find(({ unsubscribe }) => unsubscribe)?.unsubscribe,
  };
}

type Folded = { kind: string; email: Email };

/** The lines of a digest without what others wrote: how many updates there were, and the invitations, which contain no names. */
function itemsWithoutNames(folded: readonly Folded[]): NonNullable<Email['items']> {
  const invitations = folded.filter(({ kind }) => isInvitation(kind));
  const aboutWebhooks = folded.filter(({ kind }) => kind.startsWith('webhook_')).length;
  const aboutTournaments = folded.length - invitations.length - aboutWebhooks;
  const counts = [
    { count: aboutTournaments, about: 'your tournaments', url: `${publicUrl}/me` },
    { count: aboutWebhooks, about: 'your webhooks', url: `${publicUrl}/dashboard` },
  ].filter(({ count }) => count > 0);
  return [
    ...counts.map(({ count, about, url }) => ({ text: `${counted(count, 'update')} about ${about}`, url })),
    ...invitations.map(({ email: { subject, action } }) => ({ text: subject, url: action?.url })),
  ];
}

/**
 * The digest with a fallback. A mail server may refuse a text because of a single word or link, and what one project writes
 * must not cost the reader the updates of the others: the fallback has no names, and no links that contain one.
 */
function digestWithFallback(folded: readonly Folded[]): Email {
  const [updates, invitations] = [false, true].map((wanted) =>
    folded.filter(({ kind }) => isInvitation(kind) === wanted).map(({ email }) => email),
  ) as [Email[], Email[]];
  const digest = digestEmail(updates, invitations);
  return {
    ...digest,
    fallback: {
      ...digest,
      paragraphs: [...digest.paragraphs, namesLeftOut],
      items: itemsWithoutNames(folded),
      after: undefined,
    },
  };
}

type Waiting = { id: string; kind: string; sourceId: string; askedBy: string; contentEncrypted: string };

/** The first of each project, and of each network that invites, before the second of any: a digest names few. */
function inTurns(rows: readonly Waiting[]): Waiting[] {
  const counts = new Map<string, number>();
  const placed = rows.map((row) => {
    const place = counts.get(foldedFor(row)) ?? 0;
    counts.set(foldedFor(row), place + 1);
    return { row, place };
  });
  return placed.sort((a, b) => a.place - b.place).map(({ row }) => row);
}

const contentOf = (row: Waiting): Email => JSON.parse(decryptSecret(row.contentEncrypted));

/**
 * Whose turn a digest takes: that of who caused most of it, since one person can have any number of addresses and domains.
 * Invitations, and what other players cause, do not count beside other emails: strangers must not have these wait behind all that they
 * cause.
 */
async function causerOf(tx: Tx, updates: readonly Waiting[], invitations: readonly Waiting[]) {
  const ids = (updates.length > 0 ? updates : invitations).map(({ id }) => id);
  const [most] = await tx.$queryRaw<{ causedBy: string; sourceId: string }[]>`
    SELECT "causedBy", mode() WITHIN GROUP (ORDER BY "sourceId") AS "sourceId" FROM "outgoing_mail"
    WHERE "id" = ANY(${ids}) GROUP BY "causedBy"
    ORDER BY starts_with("causedBy", 'by '), count(*) DESC LIMIT 1`;
  return most;
}

/** Gives up what waits for somebody who has unsubscribed since. @returns the rest */
async function dropUnwanted(tx: Tx, email: string, waiting: Waiting[]): Promise<Waiting[]> {
  // Anybody can sign up with an address and turn its emails off: only its owner, who has confirmed it, is heeded.
  const owner = await tx.user.findUnique({
    where: { email, emailVerifiedAt: { not: null } },
    select: { emailNotifications: true },
  });
  if (owner?.emailNotifications !== false) return waiting;
  const [unwanted, wanted] = [true, false].map((can) =>
    waiting.filter((row) => (contentOf(row).unsubscribe !== undefined) === can),
  ) as [Waiting[], Waiting[]];
  await tx.outgoingMail.updateMany({
    where: { id: { in: unwanted.map(({ id }) => id) } },
    data: { failedAt: new Date(), contentEncrypted: null, lastError: 'the recipient has unsubscribed' },
  });
  return wanted;
}

/** Has one digest sent, or looked for again once the address's budget has room for it. @returns whether it was sent */
async function queueDigest(recipient: string): Promise<boolean> {
  return db.$transaction(async (tx) => {
    const waiting = await tx.$queryRaw<Waiting[]>`
      SELECT "id", "kind", "sourceId", "askedBy", "contentEncrypted" FROM "outgoing_mail"
      WHERE "recipient" = ${recipient} AND "foldedAt" IS NOT NULL AND "sentAt" IS NULL AND "failedAt" IS NULL
      ORDER BY "createdAt", "id" FOR UPDATE`;
    const wanted = await dropUnwanted(tx, recipient, waiting);
    if (wanted.length === 0) return false;
    const invitations = wanted.filter(({ kind }) => isInvitation(kind));
    const others = wanted.filter(({ kind }) => !isInvitation(kind));
    const of = { areInvitations: others.length === 0 };
    const [admitted] = await admitEmails(tx, [recipient], of);
    if (!admitted) {
      const ms = await roomInMs(tx, recipient, of);
      await tx.$executeRaw`
        UPDATE "outgoing_mail" SET "digestAt" = clock_timestamp() + ${ms} * interval '1 ms'
        WHERE "id" = ANY(${wanted.map(({ id }) => id)})`;
      return false;
    }
    // What strangers cause comes last.
    const [updates, invited] = [inTurns(others).slice(0, maxFolded), inTurns(invitations).slice(0, maxInvitations)];
    const rows = [...updates, ...invited];
    const digest = digestWithFallback(rows.map((row) => ({ kind: row.kind, email: contentOf(row) })));
    await tx.outgoingMail.updateMany({
      where: { id: { in: rows.map(({ id }) => id) } },
      data: { sentAt: new Date(), contentEncrypted: null },
    });
    const causer = await causerOf(tx, updates, invited);
    await queueEmail(tx, { to: recipient, kind: 'digest', email: digest, ...causer });
    return true;
  });
}

/**
 * Has digests sent to addresses that have emails waiting for one. Who causes emails takes turns with the addresses where they
 * wait, since somebody can have any number of addresses; in each turn, so do the blocks of recipients, since anybody can register with
 * somebody else. A block that is the first in many turns comes once in each round: it could otherwise have an address in every one.
 * @param limit addresses to look at; those whose budget is used up are not looked at again before it may have room
 * @returns how many
 */
export async function queueDigests(limit: number): Promise<number> {
  const due = await db.$queryRaw<{ recipient: string }[]>`
    SELECT "recipient" FROM (
      SELECT *, row_number() OVER (PARTITION BY block ORDER BY turn, at) AS round FROM (
        SELECT *, row_number() OVER (PARTITION BY "causedBy" ORDER BY of_block, at) AS turn FROM (
          SELECT *, row_number() OVER (PARTITION BY "causedBy", block ORDER BY at) AS of_block FROM (
            SELECT "causedBy", "recipient", coalesce(max("recipientFrom"), 'of ' || "causedBy") AS block, min("digestAt") AS at
            FROM "outgoing_mail"
            WHERE "foldedAt" IS NOT NULL AND "sentAt" IS NULL AND "failedAt" IS NULL AND "digestAt" <= now()
            GROUP BY "causedBy", "recipient") waiting) waiting) waiting) waiting
    GROUP BY "recipient" ORDER BY min(greatest(turn, round)), random() LIMIT ${limit}`;
  let queued = 0;
  for (const { recipient } of due) {
    try {
      if (await queueDigest(recipient)) queued += 1;
    } catch (error) {
      // Others do not wait for one that cannot be written.
      logger.warn({ err: error }, 'could not write a digest; will try again');
    }
  }
  return queued;
}
