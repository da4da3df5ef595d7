import type { Prisma } from '@/generated/prisma/client';
import { newId } from '@/lib/ids';
import { decryptSecret, encryptSecret } from '@/server/crypto';
import { db, pool } from '@/server/db';
import { type PageInput, pageArgs, toPage } from '@/server/envelope';
import { refuse } from '@/server/errors';
import { audit } from '@/server/events';
import { checkUrl } from '@/server/outbound/addresses';
import { addressRule } from '@/server/outbound/policy';
import { administeredProjects } from '@/server/routers/webhooks/data';
import { mintSigningSecret } from '@/server/routers/webhooks/rules';
import {
  checkUrlInput,
  createSubscriptionInput,
  type deliveryStatuses,
  listOfProjectInput,
  listSubscriptionsInput,
  newSubscription,
  removedSubscription,
  signingSecret,
  subscription,
  subscriptionPage,
  urlVerdict,
} from '@/server/routers/webhooks/schema';
import { projectProcedure, router, subscriptionProcedure, userProcedure } from '@/server/trpc';

const tags = ['Webhooks'];
const ofProject = '/projects/{projectId}/developer/webhooks';
const ofSubscription = '/webhooks/subscriptions/{id}';

const select = {
  id: true,
  projectId: true,
  url: true,
  description: true,
  events: true,
  authMode: true,
  signPayload: true,
  status: true,
  timeoutMs: true,
  maxRetries: true,
  retryBaseDelayMs: true,
  retryBackoffMultiplier: true,
  version: true,
  createdAt: true,
  updatedAt: true,
} as const satisfies Prisma.WebhookSubscriptionSelect;

type Row = Prisma.WebhookSubscriptionGetPayload<{ select: typeof select }>;

type LastDelivery = {
  subscriptionId: string;
  id: string;
  eventType: string;
  status: (typeof deliveryStatuses)[number];
  createdAt: Date;
  responseStatus: number | null;
  errorClass: string | null;
};

const LAST_DELIVERIES = `
  SELECT d.*, a."responseStatus", a."errorClass" FROM unnest($1::text[]) AS s (id)
  CROSS JOIN LATERAL (
    SELECT "subscriptionId", id, "eventType", status, "createdAt" FROM webhook_delivery
    WHERE "subscriptionId" = s.id ORDER BY "createdAt" DESC, id DESC LIMIT 1) d
  LEFT JOIN LATERAL (
    SELECT "responseStatus", "errorClass" FROM webhook_attempt
    WHERE "deliveryId" = d.id ORDER BY number DESC LIMIT 1) a ON true`;

/** Subscriptions as their owners read them, each with its newest delivery. */
async function present(rows: Row[]) {
  const newest = await pool.query<LastDelivery>(LAST_DELIVERIES, [rows.map((row) => row.id)]);
  const lastOf = new Map(newest.rows.map(({ subscriptionId, ...last }) => [subscriptionId, last]));
  return rows.map(({ authMode, ...row }) => {
    const last = lastOf.get(row.id);
    return {
      ...row,
      authentication: { mode: authMode },
      lastDelivery: last ? { ...last, createdAt: last.createdAt.toISOString() } : null,
      createdAt: row.createdAt.toISOString(),
      updatedAt: row.updatedAt.toISOString(),
    };
  });
}

async function page(where: Prisma.WebhookSubscriptionWhereInput, input: PageInput) {
  const [rows, total] = await Promise.all([
    db.webhookSubscription.findMany({
      where,
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      select,
      ...pageArgs(input),
    }),
    db.webhookSubscription.count({ where }),
  ]);
  return toPage(await present(rows), total, input);
}

const create = projectProcedure('webhooks:write')
  .meta({
    openapi: {
      method: 'POST',
      path: ofProject,
      tags,
      summary: 'Subscribe to events',
      description:
        'The host of the URL must resolve to public addresses; nothing is sent to it yet. The signing secret is shown in this answer.',
    },
    status: 201,
    errors: ['WEBHOOK_URL_REFUSED'],
  })
  .input(createSubscriptionInput)
  .output(newSubscription)
  .mutation(async ({ ctx, input }) => {
    const { projectId } = ctx.scope;
    const { authentication, ...settings } = input;
    const problem = await checkUrl(input.url, addressRule);
    if (problem) {
      const issues = [{ path: 'url', message: problem.message }];
      throw refuse('WEBHOOK_URL_REFUSED', { message: problem.message, issues });
    }
    const signPayload = input.signPayload || authentication.mode === 'hmac_signature';
    const secret = signPayload ? mintSigningSecret() : null;
    const row = await ctx.db.$transaction(async (tx) => {
      const made = await tx.webhookSubscription.create({
        data: {
          ...settings,
          id: newId('whs'),
          projectId,
          authMode: authentication.mode,
          signPayload,
          signingSecretEncrypted: secret && encryptSecret(secret),
          createdById: ctx.actingUser.id,
        },
        select,
      });
      await audit(tx, ctx.by, {
        projectId,
        action: 'webhook.create',
        targetType: 'webhook_subscription',
        targetId: made.id,
        details: { url: made.url, events: made.events, mode: made.authMode },
      });
      return made;
    });
    const [presented] = await present([row]);
    if (!presented) throw refuse('INTERNAL');
    return { ...presented, signingSecret: secret };
  });

const listOfProject = projectProcedure('webhooks:read')
  .meta({
    openapi: {
      method: 'GET',
      path: ofProject,
      tags,
      summary: 'List the subscriptions of a project',
      description: 'Newest first, without their secrets.',
    },
  })
  .input(listOfProjectInput)
  .output(subscriptionPage)
  .query(({ ctx, input }) => page({ projectId: ctx.scope.projectId }, input));

const list = userProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/webhooks/subscriptions',
      tags,
      summary: 'List subscriptions',
      description: 'Of every project of which you are OWNER or ADMIN, or of one.',
    },
    errors: ['FORBIDDEN', 'NOT_FOUND'],
  })
  .input(listSubscriptionsInput)
  .output(subscriptionPage)
  .query(async ({ ctx, input }) => {
    const projectIds = await administeredProjects(ctx.actingUser.id, input.projectId);
    return page({ projectId: { in: projectIds } }, input);
  });

const get = subscriptionProcedure('webhooks:read')
  .meta({
    openapi: {
      method: 'GET',
      path: ofSubscription,
      tags,
      summary: 'Read a subscription',
      description: 'Its settings, without its secrets.',
    },
    errors: ['NOT_FOUND'],
  })
  .output(subscription)
  .query(async ({ ctx, input }) => {
    const row = await ctx.db.webhookSubscription.findUnique({
      where: { id: input.id, projectId: ctx.scope.projectId },
      select,
    });
    const [presented] = await present(row ? [row] : []);
    if (!presented) throw refuse('NOT_FOUND', { message: 'There is no such subscription.' });
    return presented;
  });

const remove = subscriptionProcedure('webhooks:write')
  .meta({
    openapi: {
      method: 'DELETE',
      path: ofSubscription,
      tags,
      summary: 'Delete a subscription',
      description: 'With its deliveries, those that wait included. A request under way may still arrive.',
    },
    errors: ['NOT_FOUND'],
  })
  .output(removedSubscription)
  .mutation(async ({ ctx, input }) => {
    const { projectId } = ctx.scope;
    return ctx.db.$transaction(async (tx) => {
      const { count } = await tx.webhookSubscription.deleteMany({ where: { id: input.id, projectId } });
      if (count === 0) throw refuse('NOT_FOUND', { message: 'There is no such subscription.' });
      await audit(tx, ctx.by, {
        projectId,
        action: 'webhook.delete',
        targetType: 'webhook_subscription',
        targetId: input.id,
        details: { url: ctx.subscription.url },
      });
      return { id: input.id, removed: true as const };
    });
  });

/** Shows the signing secret again; who looked is kept. */
const revealSecret = subscriptionProcedure('webhooks:write')
  .output(signingSecret)
  .mutation(async ({ ctx, input }) => {
    const { projectId } = ctx.scope;
    return ctx.db.$transaction(async (tx) => {
      const row = await tx.webhookSubscription.findUnique({
        where: { id: input.id, projectId },
        select: { signingSecretEncrypted: true },
      });
      if (!row?.signingSecretEncrypted) {
        throw refuse('NOT_FOUND', { message: 'This subscription signs nothing, so it has no secret.' });
      }
      await audit(tx, ctx.by, {
        projectId,
        action: 'webhook.reveal_secret',
        targetType: 'webhook_subscription',
        targetId: input.id,
      });
      return { signingSecret: decryptSecret(row.signingSecretEncrypted) };
    });
  });

/** Whether a URL could be subscribed now; for the form, while it is filled in. */
const check = projectProcedure('webhooks:write')
  .input(checkUrlInput)
  .output(urlVerdict)
  .query(async ({ input }) => ({ problem: (await checkUrl(input.url, addressRule))?.message ?? null }));

export const subscriptions = router({ create, listOfProject, list, get, remove, revealSecret, check });
