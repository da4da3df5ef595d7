import { z } from 'zod';
import { lineField } from '@/domain/text/line';
import { hasPlainYear, isTimeZone } from '@/domain/time/time';

/** In characters. Length is the only rule. */
export const minPasswordLength = 8;
/** In characters. Limits the cost of hashing. */
const maxPasswordLength = 200;

export const emailField = z
  .string()
  .trim()
  .toLowerCase()
  .max(254, 'Use at most 254 characters.')
  .pipe(z.email('Enter an email address, like name@example.com.'));

export const newPasswordField = z
  .string()
  .min(minPasswordLength, `Use at least ${minPasswordLength} characters.`)
  .max(maxPasswordLength, `Use at most ${maxPasswordLength} characters.`);

/** A password to sign in with: has no minimum length, so that old passwords keep working. */
export const passwordField = z.string().min(1, 'Enter your password.').max(maxPasswordLength);

export const nameField = lineField({ max: 80 });

export const timezoneField = z.string().max(64).refine(isTimeZone, 'Use an IANA time zone, like Europe/Berlin.');

/** An ISO 8601 timestamp in the future. */
export const futureTimestamp = z.iso
  .datetime({ offset: true })
  .refine((value) => Date.parse(value) > Date.now(), 'must be in the future')
  .refine(hasPlainYear, 'must be in the years 1 to 9999');

export const signInForm = z.object({ email: emailField, password: passwordField });
/** With the link by which the password was just chosen, in place of the address. */
export const linkSignInForm = z.object({ token: z.string().min(1).max(200), password: passwordField });
export const signUpForm = z.object({ name: nameField, email: emailField, password: newPasswordField });
export const forgotPasswordForm = z.object({ email: emailField });
export const verifyEmailForm = z.object({ password: passwordField });
export const resetPasswordForm = z.object({ name: nameField.optional(), password: newPasswordField });
/** For who takes over an account that somebody may have created with their address. */
export const takeOverForm = resetPasswordForm.required({ name: true });
export const changePasswordForm = z.object({ currentPassword: passwordField, newPassword: newPasswordField });
export const profileForm = z.object({ name: nameField, timezone: timezoneField.nullable() });
export const tokenNameField = lineField({ max: 80, empty: 'Enter a name, such as the app that uses the token.' });
export const accessTokenForm = z.object({
  name: tokenNameField,
  /** null: the token does not expire. */
  expiresInDays: z.number().int().min(1).max(365).nullable(),
});
