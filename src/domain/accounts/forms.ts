import { z } from 'zod';
import { hasPlainYear, isTimeZone } from '@/domain/time/time';

/** Shortest password, in characters; length is the only rule. */
export const minPasswordLength = 8;
/** Longest password, in characters, so that hashing stays cheap. */
const maxPasswordLength = 200;

const hiddenCharacters = /[\p{Cc}\u202A-\u202E\u2066-\u2069]/u;
/** Something that is seen: neither space nor joiner, filler or mark alone. */
const visibleCharacter = /[^\p{Z}\p{C}\p{M}\u115F\u1160\u2800\u3164\uFFA0]/u;

export const emailField = z
  .string()
  .trim()
  .toLowerCase()
  .max(254, 'Use at most 254 characters.')
  .pipe(z.email('Enter an e-mail address, like name@example.com.'));

export const newPasswordField = z
  .string()
  .min(minPasswordLength, `Use at least ${minPasswordLength} characters.`)
  .max(maxPasswordLength, `Use at most ${maxPasswordLength} characters.`);

/** A password that is only compared: no rule but its length, so that old passwords keep working. */
export const passwordField = z.string().min(1, 'Enter your password.').max(maxPasswordLength);

export const nameField = z
  .string()
  .trim()
  .min(1, 'Enter a name.')
  .max(80, 'Use at most 80 characters.')
  .refine((value) => !hiddenCharacters.test(value), 'Leave out control characters.')
  .refine((value) => value === '' || visibleCharacter.test(value), 'Use letters, digits or signs that can be seen.');

export const timezoneField = z.string().max(64).refine(isTimeZone, 'Choose a time zone from the list.');

/** An ISO 8601 time to come. */
export const futureTimestamp = z.iso
  .datetime({ offset: true })
  .refine((value) => Date.parse(value) > Date.now(), 'must lie in the future')
  .refine(hasPlainYear, 'must lie in the years 1 to 9999');

export const signInForm = z.object({ email: emailField, password: passwordField });
export const signUpForm = z.object({ name: nameField, email: emailField, password: newPasswordField });
export const forgotPasswordForm = z.object({ email: emailField });
export const resetPasswordForm = z.object({ password: newPasswordField });
export const changePasswordForm = z.object({ currentPassword: passwordField, newPassword: newPasswordField });
export const profileForm = z.object({ name: nameField, timezone: timezoneField.nullable() });
export const accessTokenForm = z.object({
  name: z.string().trim().min(1, 'Name the token after what uses it.').max(80, 'Use at most 80 characters.'),
  /** Days the token lives; null: until revoked. */
  expiresInDays: z.number().int().min(1).max(365).nullable(),
});
