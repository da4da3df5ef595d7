import { currentKeyPrefix, decryptSecret, encryptSecret } from '@/server/crypto';
import { db } from '@/server/db';
import { logger } from '@/server/logger';

const columns = ['signingSecretEncrypted', 'previousSecretEncrypted', 'authSecretEncrypted'] as const;

/** Forgets the secrets before the last rotation whose overlap is over. */
export async function forgetPreviousSecrets(): Promise<void> {
  await db.webhookSubscription.updateMany({
    where: { previousSecretUntil: { lt: new Date() } },
    data: { previousSecretEncrypted: null, previousSecretUntil: null },
  });
}

/**
 * Encrypts anew what is still under an older key of SECRETS_KEY, in the order of ids. A secret that no key opens stays.
 * @param after the id after which to go on; '' from the start
 * @param limit subscriptions at most
 * @returns the last id looked at; null when there are no more
 */
export async function renewSecrets(after: string, limit: number): Promise<string | null> {
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
      const renew = (value: string | null) =>
        value && !value.startsWith(current) ? encryptSecret(decryptSecret(value)) : value;
      const data = Object.fromEntries(columns.map((column) => [column, renew(stored[column])]));
      // Whoever changed a secret meanwhile has encrypted it under the current key.
      await db.webhookSubscription.updateMany({ where: { id, ...stored }, data });
    } catch (error) {
      logger.error({ err: error, subscriptionId: id }, 'a secret of a webhook cannot be read with SECRETS_KEY');
    }
  }
  return rows.at(-1)?.id ?? null;
}
