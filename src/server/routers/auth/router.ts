import { networkOf } from '@/domain/network/address-ranges';
import { env } from '@/env';
import { hashToken } from '@/server/auth/api-keys';
import { hashPassword, passwordMatches } from '@/server/auth/passwords';
import { accountExistsEmail, confirmAddressEmail } from '@/server/email/account-emails';
import { isAlias, mayEmailOnRequest } from '@/server/email/budget';
import { queueEmail } from '@/server/email/outbox';
import { refuse } from '@/server/errors';
import { consumeAttempts, hashedBlock } from '@/server/limits/rate-limit';
import {
  consumeEmailToken,
  countAsked,
  lockUser,
  markVerified,
  mintEmailToken,
  userOrigin,
  withMinimumDuration,
} from '@/server/routers/auth/data';
import { createUser, signUpSource } from '@/server/routers/auth/data-sign-up';
import { passwords } from '@/server/routers/auth/passwords';
import { attempts } from '@/server/routers/auth/rules';
import {
  emailInput,
  emailSent,
  registerInput,
  signInProvider,
  signInProviders,
  verified,
  verifyEmailInput,
} from '@/server/routers/auth/schema';
import { tokens } from '@/server/routers/auth/tokens';
import { publicProcedure, router } from '@/server/trpc';

const tags = ['Auth'];
const message = 'Check your inbox: we have sent an email to this address.';

const register = publicProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/auth/register',
      tags,
      summary: 'Sign up',
      description:
        'Creates an account and emails a link to confirm the address. The response is the same if the address already has an account: nothing is changed, and its owner gets an email.',
    },
    status: 201,
    errors: ['TOO_MANY_ATTEMPTS'],
  })
  .input(registerInput)
  .output(emailSent)
  .mutation(async ({ ctx, input }) => {
    const { email, name } = input;
    await countAsked('sign-up-address', ctx.ip, attempts.signUpFromAddress);
    const passwordHash = await hashPassword(input.password, ctx.ip);

    const work = ctx.db.$transaction(async (tx) => {
      const source = await signUpSource(tx, input);
      const created = await createUser(tx, ctx.requestId, {
        email,
        name,
        passwordHash,
        ip: ctx.ip,
        projectId: source.projectId,
      });
      if (!created) {
        const owner = await tx.user.findUniqueOrThrow({
          where: { email },
          select: { id: true, name: true, emailVerifiedAt: true },
        });
        const isConfirmed = owner.emailVerifiedAt !== null;
        if (!(await mayEmailOnRequest(tx, 'account_exists', { address: email, ip: ctx.ip, isConfirmed }))) return;
        const token = await mintEmailToken(tx, owner.id, 'reset_password');
        await queueEmail(tx, {
          to: email,
          kind: 'account_exists',
          email: accountExistsEmail(owner, token),
          askedBy: hashedBlock(ctx.ip),
        });
        return;
      }
      if (source.provesAddress) {
        await markVerified(tx, userOrigin(created.id, ctx.requestId), { id: created.id, name });
        return;
      }
      const mayEmail = await mayEmailOnRequest(tx, 'sign_up', { address: email, ip: ctx.ip, isConfirmed: false });
      // What strangers sign up with for a mailbox must not keep the address itself from getting its link.
      if (!mayEmail && isAlias(email)) return;
      const token = await mintEmailToken(tx, created.id, 'verify_email', networkOf(ctx.ip));
      await queueEmail(tx, {
        to: email,
        kind: 'verify_email',
        email: confirmAddressEmail(token),
        askedBy: hashedBlock(ctx.ip),
      });
    });
    await withMinimumDuration(work);
    return { email, message };
  });

const verifyEmail = publicProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/auth/verify-email',
      tags,
      summary: 'Confirm an email address',
      description:
        'With the token of the link in the email. From another network than the one that signed up, send the access token of the account or its `password` as well. An owner of the address who does not know the password chooses one with the same token: `POST /auth/reset-password`.',
    },
    errors: ['INVALID_TOKEN', 'UNAUTHENTICATED', 'INVALID_CREDENTIALS', 'TOO_MANY_ATTEMPTS'],
  })
  .input(verifyEmailInput)
  .output(verified)
  .mutation(async ({ ctx, input }) => {
    const network = networkOf(ctx.ip);
    const link = await ctx.db.emailToken.findUnique({
      where: { tokenHash: hashToken(input.token), purpose: 'verify_email' },
      select: {
        usedAt: true,
        expiresAt: true,
        network: true,
        user: { select: { id: true, emailVerifiedAt: true, passwordHash: true } },
      },
    });
    // Opening the link a second time is not an error: the address is confirmed.
    if (link?.usedAt && link.user.emailVerifiedAt) return { verified: true };
    if (!link || link.usedAt || link.expiresAt <= new Date()) throw refuse('INVALID_TOKEN');

    // A stranger may have signed up with the address. Its owner must not confirm an account that the stranger can enter.
    const { id, passwordHash } = link.user;
    // A venue shares its network with strangers, so the network counts for programs only: people press a button on a page.
    const isWhereMade = ctx.transport === 'rest' && link.network === network;
    if (!isWhereMade && (await ctx.user())?.id !== id) {
      if (input.password === undefined) {
        throw refuse('UNAUTHENTICATED', { message: 'Sign in to the account of this address, or send its password.' });
      }
      await consumeAttempts('link-password', id, attempts.linkPassword);
      if (!(await passwordMatches(input.password, passwordHash, ctx.ip))) {
        throw refuse('INVALID_CREDENTIALS', {
          message: 'This is not the password chosen at sign-up. Enter that one, or choose a new password.',
        });
      }
    }
    await ctx.db.$transaction(async (tx) => {
      const user = await consumeEmailToken(tx, input.token, ['verify_email']);
      if (user.passwordHash !== passwordHash) throw refuse('INVALID_CREDENTIALS');
      await markVerified(tx, userOrigin(user.id, ctx.requestId), user);
    });
    return { verified: true };
  });

const resendVerification = publicProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/auth/verify-email/resend',
      tags,
      summary: 'Send the confirmation link again',
      description: 'The response is the same whether or not the address has an account to confirm.',
    },
    errors: ['TOO_MANY_ATTEMPTS'],
  })
  .input(emailInput)
  .output(emailSent)
  .mutation(async ({ ctx, input: { email } }) => {
    await countAsked('email-address', ctx.ip, attempts.emailFromAddress);
    const work = ctx.db.$transaction(async (tx) => {
      const found = await tx.user.findUnique({ where: { email, emailVerifiedAt: null }, select: { id: true } });
      const user = found && (await lockUser(tx, found.id));
      if (!user || user.emailVerifiedAt) return;
      if (!(await mayEmailOnRequest(tx, 'verify_email', { address: email, ip: ctx.ip, isConfirmed: false }))) return;
      const token = await mintEmailToken(tx, user.id, 'verify_email');
      await queueEmail(tx, {
        to: email,
        kind: 'verify_email',
        email: confirmAddressEmail(token),
        askedBy: hashedBlock(ctx.ip),
      });
    });
    await withMinimumDuration(work);
    return { email, message };
  });

const providers = publicProcedure.output(signInProviders).query(() => {
  const configured = { discord: env.DISCORD_CLIENT_ID, google: env.GOOGLE_CLIENT_ID, twitch: env.TWITCH_CLIENT_ID };
  return signInProvider.options.filter((provider) => configured[provider] !== undefined);
});

/** Sign-up, confirmation, tokens and passwords. */
export const authRouter = router({ register, verifyEmail, resendVerification, providers, tokens, passwords });
