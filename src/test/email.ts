import { newId } from '@/domain/ids';
import { decryptSecret } from '@/server/crypto';
import { db } from '@/server/db';
import type { EventToEmail } from '@/server/email/event-emails';
import { composeEmail, type EmailContent } from '@/server/email/layout';
import { eventEmails } from '@/server/routers/participants/data-emails';

/** An address that no account has. */
export const freshEmail = () => `${newId('usr')}@players.test`;

/** The latest email in the outbox to an address, with its kind; of one kind if it is given. @throws when there is none */
export async function lastEmail(recipient: string, kind?: string): Promise<EmailContent & { kind: string }> {
  const row = await db.outgoingMail.findFirstOrThrow({ where: { recipient, kind }, orderBy: { id: 'desc' } });
  return { ...composeEmail(JSON.parse(decryptSecret(row.contentEncrypted ?? ''))), kind: row.kind };
}

/** Writes the emails about events, as if they had just been committed. */
export async function writeEmailsAbout(eventIds: string[]): Promise<void> {
  const where = { id: { in: eventIds }, type: { in: [...eventEmails.types] } };
  await writeEmails(await db.domainEvent.findMany({ where, orderBy: { sequence: 'asc' } }));
}

/** The same of events as they would be in the database. */
export async function writeEmails(events: EventToEmail[]): Promise<void> {
  for (const { write } of await eventEmails.pagesOf(events)) await write();
}
