import { isListed } from '@/domain/network/address-ranges';
import type { Authentication, AuthMode } from '@/domain/webhooks/settings';
import { refuse } from '@/server/errors';
import type { AuthenticationChange } from '@/server/routers/webhooks/subscriptions/schema';

/** A credential as it is stored: JSON to encrypt, and the part that may be shown. Both null where a mode needs none. */
type StoredCredential = { secret: string | null; label: string | null };

/** The credential of a complete authentication setting, as it is stored. */
export function credentialOf(authentication: Authentication): StoredCredential {
  switch (authentication.mode) {
    case 'bearer_token':
      return { secret: JSON.stringify({ token: authentication.token }), label: null };
    case 'basic_auth': {
      const { username, password } = authentication;
      return { secret: JSON.stringify({ username, password }), label: username };
    }
    case 'custom_header': {
      const { headerName, headerValue } = authentication;
      return { secret: JSON.stringify({ headerName, headerValue }), label: headerName };
    }
    default:
      return { secret: null, label: null };
  }
}

/** The fields that each mode requires. */
export const requiredFields = {
  none: [],
  hmac_signature: [],
  bearer_token: ['token'],
  basic_auth: ['username', 'password'],
  custom_header: ['headerName', 'headerValue'],
} as const satisfies Record<AuthMode, readonly string[]>;

/**
 * Merges a change with the stored credential: while the mode stays the same, fields that are left out keep their value.
 * @param current `secret` is the decrypted credential of the current mode, if it has one
 * @returns the complete setting, or the fields that are missing
 */
export function mergeCredential(
  change: AuthenticationChange,
  current: { mode: AuthMode; secret: string | null },
): { complete: Authentication } | { missing: string[] } {
  const stored = current.mode === change.mode && current.secret ? JSON.parse(current.secret) : {};
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  const merged = { ...stored, ...given };
  const missing = requiredFields[change.mode].filter((field) => merged[field] === undefined);
  return missing.length > 0 ? { missing } : { complete: merged as Authentication };
}

/**
 * Protects callers from locking themselves out of the subscription, where they ask for it as the dashboard does.
 * @throws VALIDATION_FAILED when `allowLockout` is false and the whitelist does not contain the caller's address
 */
export function preventLockout(ipWhitelist: string[] | undefined, ip: string, allowLockout: boolean | undefined): void {
  if (!ipWhitelist?.length || allowLockout !== false || isListed(ipWhitelist, ip)) return;
  const message = `Your own address, ${ip}, is not in this list, so you could no longer manage the subscription. Add it, or send allowLockout: true.`;
  throw refuse('VALIDATION_FAILED', { message, issues: [{ path: 'ipWhitelist', message }] });
}
