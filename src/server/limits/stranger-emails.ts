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
 * Like `takeStrangerEmails`, for many emails at once, which are left out instead of refused.
 * @param causesOf each email
 * @returns of each, whether everyone who causes it may cause one more
 */
export async function admitStrangerEmails(tx: Tx, causesOf: readonly (readonly string[])[]): Promise<boolean[]> {
  const wanted = new Map<string, number>();
  for (const cause of causesOf.flat()) wanted.set(cause, (wanted.get(cause) ?? 0) + 1);
  const left = wanted.size === 0 ? wanted : await takeUpTo(tx, ['strangerEmails'], wanted);
  const leftOf = (cause: string) => left.get(cause) ?? 0;
  const admitted = causesOf.map((causes) => {
    if (causes.some((cause) => leftOf(cause) === 0)) return false;
    for (const cause of causes) left.set(cause, leftOf(cause) - 1);
    return true;
  });
  for (const [cause, count] of left) {
    if (count === 0) continue;
    await tx.$executeRaw`SELECT rate_limit_return(${windowKey('strangerEmails', cause)}, ${count}::int)`;
  }
  return admitted;
}
