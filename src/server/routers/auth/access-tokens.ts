import { newId } from '@/domain/ids';
import { hasPersonalToken } from '@/server/auth/bearer';
import { refuse } from '@/server/errors';
import { audit } from '@/server/events/emit';
import { takeQuota } from '@/server/limits/take-quota';
import { pageArgs, toPage } from '@/server/paging';
import { accessTokenSelect, lockCaller, mintToken, presentAccessToken } from '@/server/routers/auth/data';
import {
  accessToken,
  accessTokenInput,
  accessTokenPage,
  accessTokensInput,
  createAccessTokenInput,
  newAccessToken,
} from '@/server/routers/auth/schema';
import { router, userProcedure } from '@/server/trpc';

const tags = ['Me'];

const create = userProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/me/access-tokens',
      tags,
      summary: 'Create a personal access token',
      description:
        'It works as a Bearer token, and is in this response only. A personal access token cannot create another.',
    },
    status: 201,
    errors: ['FORBIDDEN'],
    quotas: ['accessTokens'],
  })
  .input(createAccessTokenInput)
  .output(newAccessToken)
  .mutation(async ({ ctx, input }) => {
    // Otherwise someone with a leaked token could create others, which would survive its revocation.
    if (hasPersonalToken(ctx.authorization)) {
      throw refuse('FORBIDDEN', { message: 'A personal access token cannot create another. Sign in to create one.' });
    }
    const { token, tokenHash } = mintToken('lpat_');
    const id = newId('pat');
    const row = await ctx.db.$transaction(async (tx) => {
      await lockCaller(tx, ctx.actingUser);
      await takeQuota(tx, 'accessTokens', ctx.actingUser.id);
      await audit(tx, ctx.by, {
        projectId: null,
        action: 'access_token.create',
        targetType: 'access_token',
        targetId: id,
        details: { name: input.name },
      });
      return tx.personalAccessToken.create({
        data: {
          id,
          userId: ctx.actingUser.id,
          name: input.name,
          tokenHash,
          lastFour: token.slice(-4),
          expiresAt: input.expiresAt,
        },
        select: accessTokenSelect,
      });
    });
    return { ...presentAccessToken(row), token };
  });

const list = userProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/me/access-tokens',
      tags,
      summary: 'List your personal access tokens',
      description: 'Newest first, without revoked tokens. The tokens themselves are only shown when they are created.',
    },
  })
  .input(accessTokensInput)
  .output(accessTokenPage)
  .query(async ({ ctx, input }) => {
    const where = { userId: ctx.actingUser.id, revokedAt: null };
    const [rows, total] = await Promise.all([
      ctx.db.personalAccessToken.findMany({
        where,
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
        select: accessTokenSelect,
        ...pageArgs(input),
      }),
      ctx.db.personalAccessToken.count({ where }),
    ]);
    return toPage(rows.map(presentAccessToken), total, input);
  });

const revoke = userProcedure
  .meta({
    openapi: {
      method: 'DELETE',
      path: '/me/access-tokens/{tokenId}',
      tags,
      summary: 'Revoke a personal access token',
      description: 'It stops working at once.',
    },
    errors: ['NOT_FOUND'],
  })
  .input(accessTokenInput)
  .output(accessToken)
  .mutation(async ({ ctx, input }) => {
    return ctx.db.$transaction(async (tx) => {
      const [row] = await tx.personalAccessToken.updateManyAndReturn({
        where: { id: input.tokenId, userId: ctx.actingUser.id, revokedAt: null },
        data: { revokedAt: new Date() },
        select: accessTokenSelect,
      });
      if (!row) throw refuse('NOT_FOUND', { message: 'This access token does not exist, or was already revoked.' });
      await audit(tx, ctx.by, {
        projectId: null,
        action: 'access_token.revoke',
        targetType: 'access_token',
        targetId: row.id,
      });
      return presentAccessToken(row);
    });
  });

/** Personal access tokens (`lpat_…`) of the signed-in user. */
export const accessTokens = router({ create, list, revoke });
