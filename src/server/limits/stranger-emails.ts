import type { Tx } from '@/server/db';
import { takeQuota, windowKey } from './take-quota';
import { takeUpTo } from './take-up-to';

/**
 * Takes one email to someone who is neither a member nor registered from everyone who causes it: accounts and projects.
 * @throws QUOTA_EXCEEDED (429)
 */
export async function takeStrangerEmails(tx: Tx, causes: readonly string[]): Promise<void> {
  for (const cause of [...causes].sort()) await takeQuota(tx, 'strangerEmails', cause);
}

/**
 * Like `takeStrangerEmails`, for an email that is left out instead of refused.
 * @returns whether everyone who causes it may cause one more
 */
export async function admitStrangerEmails(tx: Tx, causes: readonly string[]): Promise<boolean> {
  if (causes.length === 0) return true;
  const got = await takeUpTo(tx, ['strangerEmails'], new Map(causes.map((cause) => [cause, 1])));
  const admitted = [...got.values()].every((count) => count === 1);
  if (!admitted) {
    for (const [cause, count] of got) {
      await tx.$executeRaw`SELECT rate_limit_return(${windowKey('strangerEmails', cause)}, ${count}::int)`;
    }
  }
  return admitted;
}
