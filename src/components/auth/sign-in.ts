import { signIn } from 'next-auth/react';

/** What the sign-in page says to a reason code, of ours or of next-auth. */
const messages: Record<string, string> = {
  INVALID_CREDENTIALS: 'The e-mail address and password do not match.',
  TOO_MANY_ATTEMPTS: 'Too many attempts. Wait a quarter of an hour, or choose a new password.',
  ACCOUNT_SUSPENDED: 'This account is suspended. Write to whoever runs this site.',
  EMAIL_NOT_CONFIRMED: 'That service has not confirmed your e-mail address. Confirm it there, or use a password here.',
  OAuthCallback: 'The other service did not let you in. Try again.',
  AccessDenied: 'The other service did not let you in. Try again.',
};

/** The sentence for a reason code from `?error=`. */
export function signInErrorMessage(code: string): string {
  return messages[code] ?? 'Signing in failed. Try again.';
}

/**
 * Starts a web session with a password.
 * @returns null when signed in, else the reason code
 */
export async function signInWithPassword(credentials: { email: string; password: string }): Promise<string | null> {
  const answer = await signIn('credentials', { ...credentials, redirect: false });
  if (answer?.ok && !answer.error) return null;
  return answer?.error ?? 'UNKNOWN';
}

/** Goes on as the person who has just signed in or out; a whole new page, so that nothing of before is shown. */
export function navigateTo(path: string): void {
  window.location.assign(path);
}
