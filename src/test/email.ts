import { newId } from '@/domain/ids';
import { decryptSecret } from '@/server/crypto';
import { db } from '@/server/db';
import type { EmailContent } from '@/server/email/layout';

/** An address that no account has. */
export const freshEmail = () => `${newId('usr')}@players.test`;

/** The latest email in the outbox to an address, with its kind; of one kind if it is given. @throws when there is none */
export async function lastEmail(recipient: string, kind?: string): Promise<EmailContent & { kind: string }> {
  const row = await db.outgoingMail.findFirstOrThrow({ where: { recipient, kind }, orderBy: { id: 'desc' } });
  const content: EmailContent = JSON.parse(decryptSecret(row.contentEncrypted ?? ''));
  return { ...content, kind: row.kind };
}
