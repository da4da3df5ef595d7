import { refuse } from '@/server/errors';

/** What the column takes; no row has a version beyond it. */
const largest = 2 ** 31 - 1;

/**
 * The version that a change expects, from `If-Match` (`"3"`, `3`) or the body's `version`; undefined: any.
 * Put it into the `where` of the guarded change, and refuse with VERSION_MISMATCH when nothing matched.
 * @throws VERSION_MISMATCH when it is no version that a row could have
 */
export function expectedVersion(ifMatch: string | undefined, version?: number): number | undefined {
  if (ifMatch === undefined || ifMatch.trim() === '*') {
    if (version !== undefined && Math.abs(version) > largest) throw refuse('VERSION_MISMATCH');
    return version;
  }
  const digits = /^\s*"?(\d{1,9})"?\s*$/.exec(ifMatch)?.[1];
  if (digits === undefined) throw refuse('VERSION_MISMATCH', { message: 'If-Match must be the version you read.' });
  return Number(digits);
}
