import { z } from 'zod';
import {
  emailField,
  futureTimestamp,
  nameField,
  newPasswordField,
  passwordField,
  signUpForm,
  timezoneField,
  tokenNameField,
} from '@/domain/accounts/forms';
import { pageInput, pageOf } from '@/server/paging';

const secretField = z.string().min(1).max(200);

export const registerInput = signUpForm.extend({
  invitationToken: secretField
    .optional()
    .meta({ description: 'The token of an invitation email. It confirms the address.' }),
  tournamentId: z.string().max(100).optional().meta({
    description: 'Id or slug of the tournament whose page led to the sign-up. The event goes to its project.',
  }),
});

export const emailSent = z.object({
  email: z.string(),
  message: z.string().meta({ example: 'Check your inbox: we have sent an email to this address.' }),
});

/** Ways to sign in other than with a password, if the instance has set them up. */
export const signInProvider = z.enum(['discord', 'google', 'twitch']);
export const signInProviders = z.array(signInProvider);

export const emailInput = z.object({ email: emailField });
export const credentialsInput = z.object({ email: emailField, password: passwordField });
export const refreshInput = z.object({ refreshToken: secretField });
export const verifyEmailInput = z.object({
  token: secretField,
  password: passwordField.optional().meta({
    description:
      'The password chosen at sign-up. Not needed with the access token of the account, nor from the network that signed up.',
  }),
});
export const resetInput = z.object({
  token: secretField,
  password: newPasswordField,
  name: nameField.optional().meta({
    description: 'The name of an account whose address was not confirmed yet. Of others it changes nothing.',
  }),
});

export const tokenPair = z.object({
  accessToken: z.string(),
  tokenType: z.literal('Bearer'),
  expiresIn: z.number().int().meta({ description: 'In seconds.', example: 900 }),
  refreshToken: z.string().meta({ description: 'Works once. The response has the next one.' }),
});

export const revoked = z.object({ revoked: z.literal(true) });
export const verified = z.object({ verified: z.literal(true) });
export const signedOut = z.object({ signedOut: z.literal(true) });
export const passwordChanged = z.object({ passwordChanged: z.literal(true) });

export const me = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  timezone: z.string().nullable().meta({ description: 'IANA name; null: the time zone of the browser.' }),
  emailVerified: z.boolean(),
  emailNotifications: z.boolean().meta({ description: 'Whether you get emails about registrations and teams.' }),
  hasPassword: z.boolean(),
  instanceAdmin: z.boolean(),
  createdAt: z.string(),
});

export const updateMeInput = z.object({
  name: nameField.optional(),
  timezone: timezoneField.nullable().optional(),
  emailNotifications: z
    .boolean()
    .optional()
    .meta({ description: 'Emails about registrations and teams. Emails about the account itself are always sent.' }),
});

const unsubscribeToken = z.string().max(200);
export const emailSettingsInput = z.object({ token: unsubscribeToken });
export const setEmailSettingsInput = z.object({ token: unsubscribeToken, emailNotifications: z.boolean() });
export const emailSettingsOutput = z.object({ email: z.string(), emailNotifications: z.boolean() });

export const changePasswordInput = z.object({ currentPassword: passwordField, newPassword: newPasswordField });

export const accessToken = z.object({
  id: z.string(),
  name: z.string(),
  lastFour: z.string(),
  expiresAt: z.string().nullable(),
  lastUsedAt: z.string().nullable(),
  createdAt: z.string(),
});
export const newAccessToken = accessToken.extend({ token: z.string().meta({ description: 'In this response only.' }) });

export const createAccessTokenInput = z.object({
  name: tokenNameField,
  expiresAt: futureTimestamp
    .optional()
    .meta({ description: 'Default: the token does not expire.', format: 'date-time' }),
});

export const accessTokensInput = pageInput;
export const accessTokenPage = pageOf(accessToken);
export const accessTokenInput = z.object({ tokenId: z.string().max(100) });
