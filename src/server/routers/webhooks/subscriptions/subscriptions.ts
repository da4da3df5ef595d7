import { newId } from '@/domain/ids';
import { encryptSecret } from '@/server/crypto';
import { deleteDeliveries } from '@/server/delivery/attempts/deletions';
import { disableSubscription } from '@/server/delivery/pause';
import { createSigningSecret } from '@/server/delivery/secrets';
import { refuse } from '@/server/errors';
import { expectedVersion } from '@/server/if-match';
import { lockProject } from '@/server/routers/projects/data';
import { projectProcedure } from '@/server/routers/projects/gate';
import { administeredProjects, auditSubscription } from '@/server/routers/webhooks/data';
import { subscriptionProcedure } from '@/server/routers/webhooks/gate';
import {
  checkTyped,
  jsonColumn,
  listSubscriptions,
  presentSubscription,
  requireAllowedUrls,
  requireRoomForUrl,
  requireRoomForWebhook,
  subscriptionSelect,
} from '@/server/routers/webhooks/subscriptions/data';
import { credentialOf, preventLockout } from '@/server/routers/webhooks/subscriptions/rules';
import {
  checkUrlInput,
  createSubscriptionInput,
  listOfProjectInput,
  listSubscriptionsInput,
  newSubscription,
  removedSubscription,
  subscription,
  subscriptionPage,
  urlVerdict,
} from '@/server/routers/webhooks/subscriptions/schema';
import { userProcedure } from '@/server/trpc';

const tags = ['Webhooks'];
const projectPath = '/projects/{projectId}/developer/webhooks';
const subscriptionPath = '/webhooks/subscriptions/{id}';

export const create = projectProcedure('webhooks:write')
  .meta({
    openapi: {
      method: 'POST',
      path: projectPath,
      tags,
      summary: 'Subscribe to events',
      description:
        'The host of the URL must resolve to public addresses; nothing is sent to it yet. Only this response contains the signing secret.',
    },
    status: 201,
    errors: ['WEBHOOK_URL_REFUSED'],
    quotas: ['webhooks', 'webhooksPerUrl', 'urlChecks'],
  })
  .input(createSubscriptionInput)
  .output(newSubscription)
  .mutation(async ({ ctx, input }) => {
    const { projectId } = ctx.scope;
    const { authentication, rateLimitConfig, filters, healthCheck, allowLockout, ...settings } = input;
    preventLockout(settings.ipWhitelist, ctx.ip, allowLockout);
    await requireAllowedUrls(ctx.actingUser.id, [
      { path: 'url', url: input.url },
      { path: 'healthCheck.url', url: healthCheck?.url },
    ]);
    const signPayload = input.signPayload || authentication.mode === 'hmac_signature';
    const secret = signPayload ? createSigningSecret() : null;
    const credential = credentialOf(authentication);
    const row = await ctx.db.$transaction(async (tx) => {
      await lockProject(tx, projectId, ctx.actingUser.id, 'webhooks:write');
      await requireRoomForWebhook(tx, projectId);
      await requireRoomForUrl(tx, projectId, input.url);
      const created = await tx.webhookSubscription.create({
        data: {
          ...settings,
          id: newId('whs'),
          projectId,
          authMode: authentication.mode,
          authSecretEncrypted: credential.secret && encryptSecret(credential.secret),
          authLabel: credential.label,
          signPayload,
          signingSecretEncrypted: secret && encryptSecret(secret),
          rateLimitConfig: jsonColumn(rateLimitConfig),
          filters: jsonColumn(filters),
          healthCheck: jsonColumn(healthCheck),
          createdById: ctx.actingUser.id,
        },
        select: subscriptionSelect,
      });
      const details = { url: created.url, events: created.events, mode: created.authMode };
      await auditSubscription(tx, ctx.by, { id: created.id, projectId }, 'webhook.create', details);
      return created;
    });
    return { ...(await presentSubscription(row)), signingSecret: secret };
  });

export const listOfProject = projectProcedure('webhooks:read')
  .meta({
    openapi: {
      method: 'GET',
      path: projectPath,
      tags,
      summary: 'List the subscriptions of a project',
      description: 'Newest first, without their secrets.',
    },
  })
  .input(listOfProjectInput)
  .output(subscriptionPage)
  .query(({ ctx, input }) => listSubscriptions([ctx.scope.projectId], input));

export const list = userProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/webhooks/subscriptions',
      tags,
      summary: 'List subscriptions',
      description: 'Of every project in which you are OWNER or ADMIN, or of one of them.',
    },
    errors: ['FORBIDDEN', 'NOT_FOUND'],
  })
  .input(listSubscriptionsInput)
  .output(subscriptionPage)
  .query(async ({ ctx, input }) => {
    const projectIds = await administeredProjects(ctx.actingUser.id, input.projectId);
    return listSubscriptions(projectIds, input);
  });

export const read = subscriptionProcedure('webhooks:read')
  .meta({
    openapi: {
      method: 'GET',
      path: subscriptionPath,
      tags,
      summary: 'Read a subscription',
      description: 'Its settings and its status, without its secrets.',
    },
    errors: ['NOT_FOUND'],
  })
  .output(subscription)
  .query(async ({ ctx, input }) => {
    const row = await ctx.db.webhookSubscription.findUnique({
      where: { id: input.id, projectId: ctx.scope.projectId },
      select: subscriptionSelect,
    });
    return presentSubscription(row);
  });

export const remove = subscriptionProcedure('webhooks:write')
  .meta({
    openapi: {
      method: 'DELETE',
      path: subscriptionPath,
      tags,
      summary: 'Delete a subscription',
      description:
        'Together with its deliveries, also those that are waiting. A request under way may still arrive, and is ended within seconds.',
    },
    errors: ['NOT_FOUND', 'VERSION_MISMATCH'],
  })
  .output(removedSubscription)
  .mutation(async ({ ctx, input }) => {
    const { projectId } = ctx.scope;
    const key = { id: input.id, projectId };
    await ctx.db.$transaction(async (tx) => {
      if (!(await disableSubscription(tx, key, expectedVersion(ctx.ifMatch)))) {
        const exists = await tx.webhookSubscription.count({ where: key });
        throw exists > 0
          ? refuse('VERSION_MISMATCH')
          : refuse('NOT_FOUND', { message: 'There is no such subscription.' });
      }
      // The deletion is decided here, while its maker has the right to it: nothing brings back what is deleted from now on.
      await auditSubscription(tx, ctx.by, key, 'webhook.delete', { url: ctx.subscription.url });
    });
    await deleteDeliveries(key);
    // Once its deliveries are deleted, no change in between keeps the subscription.
    await ctx.db.$transaction((tx) => tx.webhookSubscription.deleteMany({ where: key }));
    return { id: input.id, removed: true as const };
  });

/** Whether events may be sent to a URL; for the form, while it is filled in. */
export const check = projectProcedure('webhooks:write')
  .meta({ quotas: ['urlChecks'] })
  .input(checkUrlInput)
  .output(urlVerdict)
  .query(async ({ ctx, input }) => ({ problem: (await checkTyped(input.url, ctx.actingUser.id))?.message ?? null }));
