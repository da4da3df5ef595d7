import { hashToken } from '@/server/auth/api-keys';
import { refuse } from '@/server/errors';
import { consumeAttemptsOf } from '@/server/limits/rate-limit';
import { logger } from '@/server/logger';
import { authenticate, issueTokens, lockUser } from '@/server/routers/auth/data';
import { attempts } from '@/server/routers/auth/rules';
import { credentialsInput, refreshInput, revoked, tokenPair } from '@/server/routers/auth/schema';
import { publicProcedure, router } from '@/server/trpc';

const tags = ['Auth'];

const create = publicProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/auth/token',
      tags,
      summary: 'Sign in',
      description: 'Returns an access token and a refresh token.',
    },
    errors: ['INVALID_CREDENTIALS', 'ACCOUNT_SUSPENDED', 'TOO_MANY_ATTEMPTS'],
  })
  .input(credentialsInput)
  .output(tokenPair)
  .mutation(async ({ ctx, input }) => {
    const { id, sessionVersion } = await authenticate({ ...input, ip: ctx.ip });
    return ctx.db.$transaction(async (tx) => {
      const user = await lockUser(tx, id);
      // The password was changed after it was checked and before the lock.
      if (user?.sessionVersion !== sessionVersion) throw refuse('INVALID_CREDENTIALS');
      return issueTokens(tx, user);
    });
  });

const refresh = publicProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/auth/refresh',
      tags,
      summary: 'Exchange a refresh token',
      description:
        'Each refresh token works once. Using one a second time ends every refresh token of the same sign-in.',
    },
    errors: ['INVALID_REFRESH_TOKEN', 'ACCOUNT_SUSPENDED', 'TOO_MANY_ATTEMPTS'],
  })
  .input(refreshInput)
  .output(tokenPair)
  .mutation(async ({ ctx, input }) => {
    const tokenHash = hashToken(input.refreshToken);
    const found = await ctx.db.refreshToken.findUnique({
      where: { tokenHash },
      select: {
        ...{ userId: true, sessionVersion: true, spentAt: true, revokedAt: true },
        user: { select: { id: true, sessionVersion: true, takenOverAt: true } },
      },
    });
    if (!found) throw refuse('INVALID_REFRESH_TOKEN');
    // Who has kept a token that has ended must not use up the sign-ins of the account.
    const hasEnded = found.spentAt || found.revokedAt || found.sessionVersion !== found.user.sessionVersion;
    const counted = hasEnded ? 'ended-refresh-tokens' : 'sign-ins';
    await consumeAttemptsOf(found.user, counted, attempts.signIns);

    const pair = await ctx.db.$transaction(async (tx) => {
      const user = await lockUser(tx, found.userId);
      if (!user) return null;
      const now = new Date();
      const { sessionVersion } = user;
      const [token] = await tx.refreshToken.updateManyAndReturn({
        where: { tokenHash, sessionVersion, spentAt: null, revokedAt: null, expiresAt: { gt: now } },
        data: { spentAt: now },
        select: { familyId: true },
      });
      if (token && user.suspendedAt) throw refuse('ACCOUNT_SUSPENDED');
      if (token) return issueTokens(tx, user, token.familyId);

      const spent = await tx.refreshToken.findUnique({
        where: { tokenHash, spentAt: { not: null } },
        select: { familyId: true },
      });
      if (spent) {
        await tx.refreshToken.updateMany({
          where: { familyId: spent.familyId, spentAt: null, revokedAt: null },
          data: { revokedAt: now },
        });
        logger.warn(
          { requestId: ctx.requestId, userId: user.id, familyId: spent.familyId },
          'a used refresh token was sent again',
        );
      }
      return null;
    });
    if (!pair) throw refuse('INVALID_REFRESH_TOKEN');
    return pair;
  });

const revoke = publicProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/auth/revoke',
      tags,
      summary: 'Sign out',
      description:
        'Ends every refresh token of the same sign-in. The response is the same for an unknown token. Access tokens stay valid until they expire.',
    },
  })
  .input(refreshInput)
  .output(revoked)
  .mutation(async ({ ctx, input }) => {
    const found = await ctx.db.refreshToken.findUnique({
      where: { tokenHash: hashToken(input.refreshToken) },
      select: { userId: true, familyId: true },
    });
    if (!found) return { revoked: true };
    await ctx.db.$transaction(async (tx) => {
      await lockUser(tx, found.userId);
      await tx.refreshToken.updateMany({
        where: { familyId: found.familyId, spentAt: null, revokedAt: null },
        data: { revokedAt: new Date() },
      });
    });
    return { revoked: true };
  });

export const tokens = router({ create, refresh, revoke });
