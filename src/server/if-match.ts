import { refuse } from '@/server/errors';

/**
 * The version that a change expects, from `If-Match` (`"3"`, `3`) or the body's `version`; undefined: any.
 * Put it into the `where` of the guarded change, and refuse with VERSION_MISMATCH when nothing matched.
 * @throws VERSION_MISMATCH when the header holds no version of ours
 */
export function expectedVersion(ifMatch: string | undefined, version?: number): number | undefined {
  if (ifMatch === undefined || ifMatch.trim() === '*') return version;
  const digits = /^\s*"?(\d{1,9})"?\s*$/.exec(ifMatch)?.[1];
  if (digits === undefined) throw refuse('VERSION_MISMATCH', { message: 'If-Match must be the version you read.' });
  return Number(digits);
}
