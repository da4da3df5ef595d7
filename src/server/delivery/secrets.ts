import { randomBytes } from 'node:crypto';
import { currentKeyPrefix, decryptSecret, encryptSecret } from '@/server/crypto';
import { db } from '@/server/db';
import type { JobStep } from '@/server/jobs/client';
import { logger } from '@/server/logger';

const columns = ['signingSecretEncrypted', 'previousSecretEncrypted', 'authSecretEncrypted'] as const;

/** A new signing secret: its text keys `X-Webhook-Signature`, the bytes behind `whsec_` key Standard Webhooks. */
export function createSigningSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/** Deletes the previous secrets of rotations whose overlap has ended. */
export async function deleteExpiredSecrets(): Promise<void> {
  await db.webhookSubscription.updateMany({
    where: { previousSecretUntil: { lt: new Date() } },
    data: { previousSecretEncrypted: null, previousSecretUntil: null },
  });
}

/**
 * Encrypts secrets again that are under an older key of SECRETS_KEY, in the order of ids. A secret that no key decrypts
 * stays as it is.
 * @param after the id after which to continue; '' from the start
 * @param limit subscriptions at most
 * @returns the last id that was read; null when there are no more
 */
export async function reencryptSecrets(after: string, limit: number): Promise<string | null> {
  const current = currentKeyPrefix();
  const old = columns.map((column) => ({ [column]: { not: null }, NOT: { [column]: { startsWith: current } } }));
  const rows = await db.webhookSubscription.findMany({
    where: { id: { gt: after }, OR: old },
    orderBy: { id: 'asc' },
    take: limit,
    select: { id: true, signingSecretEncrypted: true, previousSecretEncrypted: true, authSecretEncrypted: true },
  });
  for (const { id, ...stored } of rows) {
    try {
      const reencrypt = (value: string | null) =>
        value && !value.startsWith(current) ? encryptSecret(decryptSecret(value)) : value;
      const data = Object.fromEntries(columns.map((column) => [column, reencrypt(stored[column])]));
      // A secret that was changed in the meantime is already encrypted under the current key.
      await db.webhookSubscription.updateMany({ where: { id, ...stored }, data });
    } catch (error) {
      logger.error({ err: error, subscriptionId: id }, 'a webhook secret cannot be decrypted with SECRETS_KEY');
    }
  }
  return rows.at(-1)?.id ?? null;
}

const batchSize = 200;
const maxSteps = 50;

/** Deletes expired secrets, and brings the others under the current key of SECRETS_KEY after it was changed. */
export async function maintainSecrets(step: JobStep): Promise<void> {
  await step.run('expire', deleteExpiredSecrets);
  let after = '';
  for (let round = 1; round <= maxSteps; round += 1) {
    const from = after;
    const last = await step.run(`reencrypt-${round}`, () => reencryptSecrets(from, batchSize));
    if (last === null) return;
    after = last;
  }
}
