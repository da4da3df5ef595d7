import type { Authentication, AuthMode } from '@/domain/webhooks/settings';
import type { AuthenticationChange } from '@/server/routers/webhooks/schema';

/** What is kept of a credential: JSON to encrypt, and what of it may be shown. Both null where a mode needs none. */
export type Credential = { secret: string | null; label: string | null };

/** The credential of a complete authentication setting, as it is stored. */
export function credentialOf(authentication: Authentication): Credential {
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

/** Fields that each mode needs. */
const needed = {
  none: [],
  hmac_signature: [],
  bearer_token: ['token'],
  basic_auth: ['username', 'password'],
  custom_header: ['headerName', 'headerValue'],
} as const satisfies Record<AuthMode, readonly string[]>;

/**
 * A change joined with what is stored: fields left out stay as they are while the mode stays.
 * @param stored the decrypted credential of the present mode, if it has one
 * @returns the whole setting, or the fields that are missing
 */
export function joinCredential(
  change: AuthenticationChange,
  present: { mode: AuthMode; secret: string | null },
): { complete: Authentication } | { missing: string[] } {
  const stored = present.mode === change.mode && present.secret ? JSON.parse(present.secret) : {};
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  const joined = { ...stored, ...given };
  const missing = needed[change.mode].filter((field) => joined[field] === undefined);
  return missing.length > 0 ? { missing } : { complete: joined as Authentication };
}
