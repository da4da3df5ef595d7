import { networkOf } from '@/domain/network/address-ranges';
import { env } from '@/env';
import { hashToken } from '@/server/auth/api-keys';
import { hashPassword } from '@/server/auth/passwords';
import { accountExistsEmail, confirmAddressEmail } from '@/server/email/account-emails';
import { queueEmail } from '@/server/email/outbox';
import { consumeAttempts } from '@/server/limits/rate-limit';
import {
  createUser,
  lockUser,
  markVerified,
  mintEmailToken,
  signUpSource,
  spendEmailToken,
  startSending,
  unhurried,
  userOrigin,
} from '@/server/routers/auth/data';
import { passwords } from '@/server/routers/auth/passwords';
import { attempts } from '@/server/routers/auth/rules';
import {
  emailInput,
  emailSent,
  linkInput,
  registerInput,
  signInProvider,
  signInProviders,
  verified,
} from '@/server/routers/auth/schema';
import { tokens } from '@/server/routers/auth/tokens';
import { publicProcedure, router } from '@/server/trpc';

const tags = ['Auth'];
const message = 'Check your inbox: we have sent the next step to this address.';

const register = publicProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/auth/register',
      tags,
      summary: 'Sign up',
      description:
        'Makes an account and mails a link to confirm the address. The answer is the same when the address has an account already; its owner is told by mail instead, and nothing is changed.',
    },
    status: 201,
    errors: ['TOO_MANY_ATTEMPTS'],
  })
  .input(registerInput)
  .output(emailSent)
  .mutation(async ({ ctx, input }) => {
    const { email, name } = input;
    await consumeAttempts('sign-up-address', networkOf(ctx.ip), attempts.signUpFromAddress);
    await consumeAttempts('mail-account', email, attempts.mailToAccount);
    const passwordHash = await hashPassword(input.password);

    const work = ctx.db.$transaction(async (tx) => {
      const source = await signUpSource(tx, input);
      const created = await createUser(tx, ctx.requestId, { email, name, passwordHash, projectId: source.projectId });
      if (!created) {
        const owner = await tx.user.findUniqueOrThrow({ where: { email }, select: { id: true, name: true } });
        const token = await mintEmailToken(tx, owner.id, 'reset_password');
        return queueEmail(tx, { to: email, kind: 'account_exists', email: accountExistsEmail(owner.name, token) });
      }
      if (source.provesAddress) {
        await markVerified(tx, userOrigin(created.id, ctx.requestId), { id: created.id, name });
        return null;
      }
      const token = await mintEmailToken(tx, created.id, 'verify_email');
      return queueEmail(tx, { to: email, kind: 'verify_email', email: confirmAddressEmail(name, token) });
    });
    await unhurried(work.then(startSending));
    return { email, message };
  });

const verifyEmail = publicProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/auth/verify-email',
      tags,
      summary: 'Confirm an e-mail address',
      description: 'With the token of the mailed link.',
    },
    errors: ['INVALID_TOKEN', 'TOO_MANY_ATTEMPTS'],
  })
  .input(linkInput)
  .output(verified)
  .mutation(async ({ ctx, input }) => {
    await consumeAttempts('link-address', networkOf(ctx.ip), attempts.linkFromAddress);
    // A link opened twice has done its work: say so rather than alarm.
    const spent = await ctx.db.emailToken.findUnique({
      where: { tokenHash: hashToken(input.token), purpose: 'verify_email', usedAt: { not: null } },
      select: { user: { select: { emailVerifiedAt: true } } },
    });
    if (spent?.user.emailVerifiedAt) return { verified: true };

    await ctx.db.$transaction(async (tx) => {
      const user = await spendEmailToken(tx, input.token, 'verify_email');
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
      summary: 'Mail the confirmation link again',
      description: 'The answer is the same whether or not the address has an account that waits for it.',
    },
    errors: ['TOO_MANY_ATTEMPTS'],
  })
  .input(emailInput)
  .output(emailSent)
  .mutation(async ({ ctx, input: { email } }) => {
    await consumeAttempts('mail-address', networkOf(ctx.ip), attempts.mailFromAddress);
    await consumeAttempts('mail-account', email, attempts.mailToAccount);
    const work = ctx.db.$transaction(async (tx) => {
      const found = await tx.user.findUnique({ where: { email, emailVerifiedAt: null }, select: { id: true } });
      const user = found && (await lockUser(tx, found.id));
      if (!user || user.emailVerifiedAt) return null;
      const token = await mintEmailToken(tx, user.id, 'verify_email');
      return queueEmail(tx, { to: email, kind: 'verify_email', email: confirmAddressEmail(user.name, token) });
    });
    await unhurried(work.then(startSending));
    return { email, message };
  });

const providers = publicProcedure.output(signInProviders).query(() => {
  const configured = { discord: env.DISCORD_CLIENT_ID, google: env.GOOGLE_CLIENT_ID, twitch: env.TWITCH_CLIENT_ID };
  return signInProvider.options.filter((provider) => configured[provider] !== undefined);
});

/** Sign-up, confirmation, tokens and passwords: all that happens before someone is signed in. */
export const authRouter = router({ register, verifyEmail, resendVerification, providers, tokens, passwords });
