import { newId } from '@/domain/ids';
import { mintApiKey } from '@/server/auth/api-keys';
import { refuse } from '@/server/errors';
import { audit } from '@/server/events/emit';
import { requireRoom } from '@/server/limits/take-quota';
import { pageArgs, toPage } from '@/server/paging';
import { apiKeySelect, lockProject, presentApiKey } from '@/server/routers/projects/data';
import { projectProcedure } from '@/server/routers/projects/gate';
import {
  apiKey,
  apiKeyInput,
  apiKeyPage,
  createApiKeyInput,
  listApiKeysInput,
  newApiKey,
} from '@/server/routers/projects/schema';
import { router } from '@/server/trpc';

const tags = ['API keys'];
const path = '/projects/{projectId}/developer/api-keys';

const create = projectProcedure('keys:write')
  .meta({
    openapi: {
      method: 'POST',
      path,
      tags,
      summary: 'Create an API key',
      description: 'The key is in this response only: the server stores a hash of it.',
    },
    status: 201,
    quotas: ['apiKeys'],
  })
  .input(createApiKeyInput)
  .output(newApiKey)
  .mutation(async ({ ctx, input }) => {
    const { projectId } = ctx.scope;
    const { name, scopes } = input;
    const { key, publicId, keyHash } = mintApiKey();
    const id = newId('key');
    const row = await ctx.db.$transaction(async (tx) => {
      await lockProject(tx, projectId, ctx.actingUser.id, 'keys:write');
      // Each key has the rate limit of the plan to itself.
      requireRoom('apiKeys', projectId, await tx.apiKey.count({ where: { projectId, revokedAt: null } }));
      await audit(tx, ctx.by, {
        projectId,
        action: 'api_key.create',
        targetType: 'api_key',
        targetId: id,
        details: { name, scopes, expiresAt: input.expiresAt ?? null },
      });
      return tx.apiKey.create({
        data: {
          id,
          projectId,
          name,
          publicId,
          keyHash,
          scopes,
          expiresAt: input.expiresAt,
          createdById: ctx.actingUser.id,
        },
        select: apiKeySelect,
      });
    });
    return { ...presentApiKey(row), key };
  });

const list = projectProcedure('keys:read')
  .meta({
    openapi: {
      method: 'GET',
      path,
      tags,
      summary: 'List the API keys',
      description: 'Newest first, without revoked keys.',
    },
  })
  .input(listApiKeysInput)
  .output(apiKeyPage)
  .query(async ({ ctx, input }) => {
    const where = { projectId: ctx.scope.projectId, revokedAt: null };
    const [rows, total] = await Promise.all([
      ctx.db.apiKey.findMany({
        where,
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
        select: apiKeySelect,
        ...pageArgs(input),
      }),
      ctx.db.apiKey.count({ where }),
    ]);
    return toPage(rows.map(presentApiKey), total, input);
  });

const revoke = projectProcedure('keys:write')
  .meta({
    openapi: {
      method: 'DELETE',
      path: `${path}/{keyId}`,
      tags,
      summary: 'Revoke an API key',
      description: 'It stops working within a second.',
    },
    errors: ['NOT_FOUND'],
  })
  .input(apiKeyInput)
  .output(apiKey)
  .mutation(async ({ ctx, input }) => {
    const { projectId } = ctx.scope;
    return ctx.db.$transaction(async (tx) => {
      const [row] = await tx.apiKey.updateManyAndReturn({
        where: { id: input.keyId, projectId, revokedAt: null },
        data: { revokedAt: new Date() },
        select: apiKeySelect,
      });
      if (!row) throw refuse('NOT_FOUND', { message: 'This API key does not exist, or was already revoked.' });
      await audit(tx, ctx.by, {
        projectId,
        action: 'api_key.revoke',
        targetType: 'api_key',
        targetId: row.id,
        details: { name: row.name },
      });
      return presentApiKey(row);
    });
  });

/** Credentials for integrations. */
export const apiKeys = router({ create, list, revoke });
