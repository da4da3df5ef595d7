import { refuse } from '@/server/errors';

/** The largest value of the column. */
const maxVersion = 2 ** 31 - 1;

/**
 * The version that a change expects, from `If-Match` (`"3"` or `3`) or from the body's `version`; undefined: any version.
 * Put it into the `where` of the update, and throw VERSION_MISMATCH when no row matched.
 * @throws VERSION_MISMATCH when it cannot be the version of any row
 */
export function expectedVersion(ifMatch: string | undefined, version?: number): number | undefined {
  if (ifMatch === undefined || ifMatch.trim() === '*') {
    if (version !== undefined && Math.abs(version) > maxVersion) throw refuse('VERSION_MISMATCH');
    return version;
  }
  const digits = /^\s*"?(\d{1,9})"?\s*$/.exec(ifMatch)?.[1];
  if (digits === undefined)
    throw refuse('VERSION_MISMATCH', { message: 'If-Match must be the version that you read.' });
  return Number(digits);
}
