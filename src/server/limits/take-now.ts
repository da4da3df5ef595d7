import { db } from '@/server/db';
import { type RateName, takeQuota } from './quotas';

/**
 * Takes one from a rate in a transaction of its own: for what costs time whether or not it succeeds.
 * @throws QUOTA_EXCEEDED (429)
 */
export async function takeNow(name: RateName, subject: string): Promise<void> {
  await db.$transaction((tx) => takeQuota(tx, name, subject));
}
