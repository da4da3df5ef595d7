import { hashToken } from '@/server/auth/api-keys';
import { hashPassword, passwordMatches } from '@/server/auth/passwords';
import { db, type Tx } from '@/server/db';
import { passwordChangedEmail, resetPasswordEmail } from '@/server/email/account-emails';
import { mayEmailOnRequest } from '@/server/email/budget';
import { queueEmail } from '@/server/email/outbox';
import { refuse } from '@/server/errors';
import { audit } from '@/server/events/emit';
import { consumeAttemptsOf, hashedBlock } from '@/server/limits/rate-limit';
import {
  consumeEmailToken,
  countAsked,
  endSessions,
  lockUser,
  markVerified,
  mintEmailToken,
  userOrigin,
  withMinimumDuration,
} from '@/server/routers/auth/data';
import { disownInBatches, takeOver } from '@/server/routers/auth/data-takeover';
import { attempts } from '@/server/routers/auth/rules';
import { changePasswordInput, emailInput, emailSent, passwordChanged, resetInput } from '@/server/routers/auth/schema';
import { publicProcedure, router, userProcedure } from '@/server/trpc';

const tags = ['Auth'];

/** Invalidates the links that were requested before the password changed. */
async function endResetLinks(tx: Tx, userId: string): Promise<void> {
  const open = { userId, purpose: 'reset_password', usedAt: null } as const;
  await tx.emailToken.updateMany({ where: open, data: { usedAt: new Date() } });
}

/** Whose the link is with which a new password can be chosen now, and whether that account is confirmed. */
async function findResetLink(token: string): Promise<{ userId: string; isConfirmed: boolean } | null> {
  const usable = { tokenHash: hashToken(token), usedAt: null, expiresAt: { gt: new Date() } };
  const link = await db.emailToken.findUnique({
    where: { ...usable, purpose: { in: ['reset_password', 'verify_email'] } },
    select: { userId: true, purpose: true, user: { select: { emailVerifiedAt: true } } },
  });
  if (!link) return null;
  const isConfirmed = link.user.emailVerifiedAt !== null;
  return link.purpose === 'reset_password' || !isConfirmed ? { userId: link.userId, isConfirmed } : null;
}

const requestReset = publicProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/auth/forgot-password',
      tags,
      summary: 'Request a link to choose a new password',
      description: 'Emailed to the address. The response is the same whether or not it has an account.',
    },
    errors: ['TOO_MANY_ATTEMPTS'],
  })
  .input(emailInput)
  .output(emailSent)
  .mutation(async ({ ctx, input: { email } }) => {
    await countAsked('email-address', ctx.ip, attempts.emailFromAddress);
    const work = ctx.db.$transaction(async (tx) => {
      const user = await tx.user.findUnique({
        where: { email },
        select: { id: true, name: true, emailVerifiedAt: true },
      });
      // An address without an account gets nothing, so asking for it uses up nothing.
      if (!user) return;
      const isConfirmed = user.emailVerifiedAt !== null;
      if (!(await mayEmailOnRequest(tx, 'reset_password', { address: email, ip: ctx.ip, isConfirmed }))) return;
      const token = await mintEmailToken(tx, user.id, 'reset_password');
      await queueEmail(tx, {
        to: email,
        kind: 'reset_password',
        email: resetPasswordEmail(user, token),
        askedBy: hashedBlock(ctx.ip),
      });
    });
    await withMinimumDuration(work);
    return { email, message: 'If this address has an account, we have sent a link to it.' };
  });

const reset = publicProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/auth/reset-password',
      tags,
      summary: 'Choose a new password with a link',
      description:
        'Signs the account out everywhere and ends its refresh tokens. The link works once. The link that confirms an address works here too, until it is confirmed.',
    },
    errors: ['INVALID_TOKEN'],
  })
  .input(resetInput)
  .output(passwordChanged)
  .mutation(async ({ ctx, input }) => {
    // Hashing is work, which is not done for links that do not work.
    const link = await findResetLink(input.token);
    if (!link) throw refuse('INVALID_TOKEN');
    const passwordHash = await hashPassword(input.password, ctx.ip);
    if (!link.isConfirmed) await disownInBatches(link.userId);
    await ctx.db.$transaction(async (tx) => {
      const toTakeOver = !link.isConfirmed;
      const user = await consumeEmailToken(tx, input.token, ['reset_password', 'verify_email'], { toTakeOver });
      if (user.purpose === 'verify_email' && user.emailVerifiedAt) throw refuse('INVALID_TOKEN');
      const by = userOrigin(user.id, ctx.requestId);
      await tx.user.update({ where: { id: user.id }, data: { passwordHash }, select: { id: true } });
      await endResetLinks(tx, user.id);
      if (user.emailVerifiedAt) await endSessions(tx, user.id, { accessTokens: false });
      else await takeOver(tx, user.id, ctx.ip, input.name);
      await markVerified(tx, by, { ...user, name: input.name ?? user.name });
      await audit(tx, by, { projectId: null, action: 'user.password_reset', targetType: 'user', targetId: user.id });
      await queueEmail(tx, {
        to: user.email,
        kind: 'password_changed',
        email: passwordChangedEmail(user),
        askedBy: hashedBlock(ctx.ip),
      });
    });
    return { passwordChanged: true };
  });

const change = userProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/me/password',
      tags: ['Me'],
      summary: 'Change your password',
      description: 'Signs you out everywhere, including here. Personal access tokens keep working.',
    },
    errors: ['INVALID_CREDENTIALS', 'TOO_MANY_ATTEMPTS'],
  })
  .input(changePasswordInput)
  .output(passwordChanged)
  .mutation(async ({ ctx, input }) => {
    const { id } = ctx.actingUser;
    await consumeAttemptsOf(ctx.actingUser, 'password-change', attempts.passwordChange);
    const before = await ctx.db.user.findUniqueOrThrow({ where: { id }, select: { passwordHash: true } });
    if (!(await passwordMatches(input.currentPassword, before.passwordHash, ctx.ip))) {
      throw refuse('INVALID_CREDENTIALS', { message: 'The current password is not correct.' });
    }
    const passwordHash = await hashPassword(input.newPassword, ctx.ip);
    await ctx.db.$transaction(async (tx) => {
      const user = await lockUser(tx, id);
      if (!user || user.passwordHash !== before.passwordHash) throw refuse('INVALID_CREDENTIALS');
      await tx.user.update({ where: { id }, data: { passwordHash }, select: { id: true } });
      // Those of an unconfirmed account belong to the owner of the address, who may not be the one who signed up.
      if (user.emailVerifiedAt) await endResetLinks(tx, id);
      await audit(tx, ctx.by, { projectId: null, action: 'user.password_change', targetType: 'user', targetId: id });
      // After the entry, which is written for a session that has not ended.
      await endSessions(tx, id, { accessTokens: false });
      // Whoever an unconfirmed address belongs to has asked for nothing, and a stranger can repeat this.
      if (!user.emailVerifiedAt) return;
      await queueEmail(tx, {
        to: user.email,
        kind: 'password_changed',
        email: passwordChangedEmail(user),
        askedBy: hashedBlock(ctx.ip),
      });
    });
    return { passwordChanged: true };
  });

export const passwords = router({ requestReset, reset, change });
