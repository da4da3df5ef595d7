import { type lifetimes, signInWindow } from '@/domain/accounts/lifetimes';
import { day as dayMs, hour as hourMs, minute as minuteMs, second } from '@/domain/time/durations';

const minute = minuteMs / second;
const hour = hourMs / second;

/**
 * Attempts allowed within a number of seconds. `…FromAddress` counts by network address, which everyone at a venue may
 * share. `signInPair`, one account from one address, stops a single attacker. `signInToAccount` limits many attackers
 * together, and is twice what one of them has, who may have a block of addresses (`signInBlockPair`): that locks no owner out.
 */
export const attempts = {
  signInFromAddress: { points: 300, seconds: signInWindow / second },
  signInToAccount: { points: 100, seconds: signInWindow / second },
  signInPair: { points: 10, seconds: signInWindow / second },
  signInBlockPair: { points: 50, seconds: signInWindow / second },
  /** Each asks Discord, Google or Twitch in our name, and for some thousands that fail they refuse everybody's here. */
  providerFromAddress: { points: 300, seconds: signInWindow / second },
  signUpFromAddress: { points: 500, seconds: hour },
  emailFromAddress: { points: 100, seconds: hour },
  /** At the password of an account, by who has the link in its inbox. Links themselves cannot be guessed. */
  linkPassword: { points: 10, seconds: 15 * minute },
  /** With the right password, or a refresh token: each is work and a stored token. A script may sign in for every call. */
  signIns: { points: 1_000, seconds: 15 * minute },
  passwordChange: { points: 10, seconds: 15 * minute },
} as const;

/**
 * Seconds in which an account that has signed in from an address stays known there. Where others have used up the
 * attempts of the address, it still has those of one account from one address.
 */
export const knownForSeconds = (7 * dayMs) / second;

/** What the link in an email is for. */
export type EmailTokenPurpose = Extract<keyof typeof lifetimes, 'verify_email' | 'reset_password'>;

/** When something made at `from` with a lifetime in milliseconds expires. */
export function expiryAfter(lifetime: number, from: Date = new Date()): Date {
  return new Date(from.getTime() + lifetime);
}
