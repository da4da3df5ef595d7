import { day, hour, minute } from '@/domain/time/durations';

/** Milliseconds that each credential is valid. Personal access tokens and API keys have the lifetime their owner chooses. */
export const lifetimes = {
  accessToken: 15 * minute,
  refreshToken: 30 * day,
  /** A web session, from the sign-in. */
  session: 30 * day,
  /** The link to confirm an email address. */
  verify_email: 2 * day,
  /** The link to choose a new password. */
  reset_password: hour,
  /** The link with which an account takes over a guest of a tournament. */
  claim_link: 14 * day,
} as const;

/** Milliseconds in which failed sign-ins are counted, and after which someone can try again. */
export const signInWindow = 15 * minute;
