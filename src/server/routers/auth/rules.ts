const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** Seconds that each link and token lives. */
export const lifetimes = {
  verify_email: 2 * day,
  reset_password: hour,
  refreshToken: 30 * day,
} as const;

/**
 * Attempts in a window. `…FromAddress` counts a network address, which a whole venue may share; the pair limit is what
 * one attacker meets, and `signInToAccount` bounds many attackers without letting one lock the owner out.
 */
export const attempts = {
  signInFromAddress: { points: 300, seconds: 15 * minute },
  signInToAccount: { points: 100, seconds: 15 * minute },
  signInPair: { points: 10, seconds: 15 * minute },
  signUpFromAddress: { points: 500, seconds: hour },
  mailFromAddress: { points: 100, seconds: hour },
  mailToAccount: { points: 5, seconds: hour },
  linkFromAddress: { points: 100, seconds: 15 * minute },
  passwordChange: { points: 10, seconds: 15 * minute },
} as const;

export type EmailTokenPurpose = 'verify_email' | 'reset_password';

/** When something made at `from` with a lifetime in seconds ends. */
export function expiryAfter(seconds: number, from: Date = new Date()): Date {
  return new Date(from.getTime() + seconds * 1000);
}
