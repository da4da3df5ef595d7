import { signIn } from 'next-auth/react';
import { signInWindow } from '@/domain/accounts/lifetimes';
import { durationInWords } from '@/domain/time/durations';

/** Messages by reason code, ours and next-auth's. */
const messages: Record<string, string> = {
  INVALID_CREDENTIALS: 'The email address or password is incorrect.',
  TOO_MANY_ATTEMPTS: `Too many attempts. Wait ${durationInWords(signInWindow)}, or reset your password.`,
  ACCOUNT_SUSPENDED: 'This account is suspended. Contact the administrator of this site.',
  EMAIL_NOT_CONFIRMED: 'That service has not confirmed your email address. Confirm it there, or use a password here.',
  OAuthCallback: 'Signing in with the other service failed. Try again.',
  AccessDenied: 'Signing in with the other service failed. Try again.',
};

/** A reason code with its message. A link can have any text in `?error=`, so an unknown code is not shown. */
export function signInError(code: string): { reason?: string; message: string } {
  const message = Object.hasOwn(messages, code) ? messages[code] : undefined;
  return message === undefined ? { message: 'Signing in failed. Try again.' } : { reason: code, message };
}

/**
 * Starts a web session with a password.
 * @param credentials of the account, or the link by which the password was just chosen
 * @returns null when signed in, otherwise the reason code
 */
export async function signInWithPassword(
  credentials: { email: string; password: string } | { token: string; password: string },
): Promise<string | null> {
  const response = await signIn('credentials', { ...credentials, redirect: false });
  if (response?.ok && !response.error) return null;
  return response?.error ?? 'UNKNOWN';
}

/** Opens a page after signing in or out. It is a full page load, so that nothing of the previous session is shown. */
export function navigateTo(path: string): void {
  window.location.assign(path);
}
