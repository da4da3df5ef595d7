import { newId } from '@/domain/ids';
import { isListed } from '@/domain/network/address-ranges';
import { filtersSchema } from '@/domain/webhooks/filters';
import { healthCheckSchema, rateLimitSchema } from '@/domain/webhooks/settings';
import { Prisma } from '@/generated/prisma/client';
import { encryptSecret } from '@/server/crypto';
import { db, pool } from '@/server/db';
import { checkUrl } from '@/server/delivery/outbound/addresses';
import { addressRule } from '@/server/delivery/outbound/policy';
import { mintSigningSecret } from '@/server/delivery/rules';
import { refuse } from '@/server/errors';
import { audit } from '@/server/events/emit';
import { expectedVersion } from '@/server/if-match';
import { type PageInput, pageArgs, toPage } from '@/server/paging';
import { projectProcedure } from '@/server/routers/projects/gate';
import { administeredProjects } from '@/server/routers/webhooks/data';
import {
  checkUrlInput,
  createSubscriptionInput,
  type deliveryStatuses,
  listOfProjectInput,
  listSubscriptionsInput,
  newSubscription,
  removedSubscription,
  subscription,
  subscriptionPage,
  urlVerdict,
} from '@/server/routers/webhooks/schema';
import { credentialOf } from '@/server/routers/webhooks/subscriptions/rules';
import { subscriptionProcedure, userProcedure } from '@/server/trpc';

const tags = ['Webhooks'];
const ofProject = '/projects/{projectId}/developer/webhooks';
const ofSubscription = '/webhooks/subscriptions/{id}';

/** What may be shown of a subscription: no secret is among it. */
export const subscriptionSelect = {
  id: true,
  projectId: true,
  url: true,
  description: true,
  events: true,
  authMode: true,
  authLabel: true,
  signPayload: true,
  previousSecretUntil: true,
  status: true,
  pausedAt: true,
  disabledAt: true,
  disabledReason: true,
  timeoutMs: true,
  maxRetries: true,
  retryBaseDelayMs: true,
  retryBackoffMultiplier: true,
  enableCircuitBreaker: true,
  circuitBreakerThreshold: true,
  circuitBreakerTimeoutMs: true,
  breakerState: true,
  breakerOpenedAt: true,
  breakerRetryAt: true,
  consecutiveFailures: true,
  rateLimitConfig: true,
  ipWhitelist: true,
  filters: true,
  healthCheck: true,
  healthStatus: true,
  healthCheckedAt: true,
  healthDetail: true,
  holdUntil: true,
  failingSince: true,
  lastAttemptAt: true,
  lastDeliveredAt: true,
  version: true,
  createdAt: true,
  updatedAt: true,
} as const satisfies Prisma.WebhookSubscriptionSelect;

export type SubscriptionRow = Prisma.WebhookSubscriptionGetPayload<{ select: typeof subscriptionSelect }>;

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

type LastAttempt = {
  subscriptionId: string;
  deliveryId: string;
  outcome: 'succeeded' | 'failed' | 'unknown';
  responseStatus: number | null;
  errorClass: string | null;
  errorMessage: string | null;
  startedAt: Date;
};

// Newest deliveries may all be held: then the newest attempt is of one that waits the longest, or of one given up.
const ofStatus = (status: string, order: string) => `(SELECT id FROM webhook_delivery
  WHERE "subscriptionId" = s.id AND status = '${status}' ORDER BY "createdAt" ${order} LIMIT 20)`;

const LAST_ATTEMPTS = `
  SELECT s.id AS "subscriptionId", a.* FROM unnest($1::text[]) AS s (id)
  CROSS JOIN LATERAL (
    SELECT a."deliveryId", a.outcome, a."responseStatus", a."errorClass", a."errorMessage", a."startedAt"
    FROM (
      (SELECT id FROM webhook_delivery WHERE "subscriptionId" = s.id ORDER BY "createdAt" DESC, id DESC LIMIT 20)
      UNION ${ofStatus('pending', 'ASC')} UNION ${ofStatus('held', 'ASC')} UNION ${ofStatus('failed', 'DESC')}
    ) d JOIN webhook_attempt a ON a."deliveryId" = d.id
    WHERE a.outcome <> 'running' ORDER BY a."startedAt" DESC LIMIT 1) a`;

const iso = (date: Date | null) => date?.toISOString() ?? null;

/** Subscriptions as their owners read them, each with its newest delivery and its newest attempt. */
export async function presentSubscriptions(rows: SubscriptionRow[]) {
  const ids = rows.map((row) => row.id);
  const [newest, attempts] = await Promise.all([
    pool.query<LastDelivery>(LAST_DELIVERIES, [ids]),
    pool.query<LastAttempt>(LAST_ATTEMPTS, [ids]),
  ]);
  const attemptOf = new Map(attempts.rows.map(({ subscriptionId, ...attempt }) => [subscriptionId, attempt]));
  const lastOf = new Map(newest.rows.map(({ subscriptionId, ...last }) => [subscriptionId, last]));
  const now = new Date();
  return rows.map((row) => {
    const last = lastOf.get(row.id);
    const attempt = attemptOf.get(row.id);
    const { authMode, authLabel, breakerState, breakerOpenedAt, breakerRetryAt, consecutiveFailures, ...rest } = row;
    const { healthStatus, healthCheckedAt, healthDetail, ...shown } = rest;
    const still = (until: Date | null) => iso(until && until > now ? until : null);
    return {
      ...shown,
      authentication: { mode: authMode, label: authLabel },
      previousSecretUntil: still(row.previousSecretUntil),
      breaker: {
        state: breakerState,
        consecutiveFailures,
        openedAt: iso(breakerOpenedAt),
        retryAt: iso(breakerRetryAt),
      },
      health: { status: healthStatus, checkedAt: iso(healthCheckedAt), detail: healthDetail },
      rateLimitConfig: rateLimitSchema.nullable().parse(row.rateLimitConfig),
      filters: filtersSchema.nullable().parse(row.filters),
      healthCheck: healthCheckSchema.nullable().parse(row.healthCheck),
      holdUntil: still(row.holdUntil),
      pausedAt: iso(row.pausedAt),
      disabledAt: iso(row.disabledAt),
      failingSince: iso(row.failingSince),
      lastAttemptAt: iso(row.lastAttemptAt),
      lastDeliveredAt: iso(row.lastDeliveredAt),
      lastDelivery: last ? { ...last, createdAt: last.createdAt.toISOString() } : null,
      lastAttempt: attempt ? { ...attempt, startedAt: attempt.startedAt.toISOString() } : null,
      createdAt: row.createdAt.toISOString(),
      updatedAt: row.updatedAt.toISOString(),
    };
  });
}

/** @throws NOT_FOUND where there is no row: it was deleted meanwhile */
export async function presentSubscription(row: SubscriptionRow | null) {
  const [presented] = await presentSubscriptions(row ? [row] : []);
  if (!presented) throw refuse('NOT_FOUND', { message: 'There is no such subscription.' });
  return presented;
}

async function page(where: Prisma.WebhookSubscriptionWhereInput, input: PageInput) {
  const [rows, total] = await Promise.all([
    db.webhookSubscription.findMany({
      where,
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      select: subscriptionSelect,
      ...pageArgs(input),
    }),
    db.webhookSubscription.count({ where }),
  ]);
  return toPage(await presentSubscriptions(rows), total, input);
}

/** @throws WEBHOOK_URL_REFUSED naming the field, when a URL may not receive requests */
export async function requireReachable(urls: { path: string; url: string | undefined }[]): Promise<void> {
  for (const { path, url } of urls) {
    const problem = url === undefined ? null : await checkUrl(url, addressRule);
    if (problem) {
      throw refuse('WEBHOOK_URL_REFUSED', { message: problem.message, issues: [{ path, message: problem.message }] });
    }
  }
}

/** Refuses a list that would shut out the very person who sets it, where they ask for that care, as the dashboard does. */
export function requireWayBack(ipWhitelist: string[] | undefined, ip: string, allowed: boolean | undefined): void {
  if (!ipWhitelist?.length || allowed !== false || isListed(ipWhitelist, ip)) return;
  const message = `Your own address, ${ip}, is not in this list: you could not manage the subscription any more. Add it, or send allowLockout: true.`;
  throw refuse('VALIDATION_FAILED', { message, issues: [{ path: 'ipWhitelist', message }] });
}

export const orNull = (value: Prisma.InputJsonObject | null) => value ?? Prisma.DbNull;

export const create = projectProcedure('webhooks:write')
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
    const { authentication, rateLimitConfig, filters, healthCheck, allowLockout, ...settings } = input;
    requireWayBack(settings.ipWhitelist, ctx.ip, allowLockout);
    await requireReachable([
      { path: 'url', url: input.url },
      { path: 'healthCheck.url', url: healthCheck?.url },
    ]);
    const signPayload = input.signPayload || authentication.mode === 'hmac_signature';
    const secret = signPayload ? mintSigningSecret() : null;
    const credential = credentialOf(authentication);
    const row = await ctx.db.$transaction(async (tx) => {
      const made = await tx.webhookSubscription.create({
        data: {
          ...settings,
          id: newId('whs'),
          projectId,
          authMode: authentication.mode,
          authSecretEncrypted: credential.secret && encryptSecret(credential.secret),
          authLabel: credential.label,
          signPayload,
          signingSecretEncrypted: secret && encryptSecret(secret),
          rateLimitConfig: orNull(rateLimitConfig),
          filters: orNull(filters),
          healthCheck: orNull(healthCheck),
          createdById: ctx.actingUser.id,
        },
        select: subscriptionSelect,
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
    return { ...(await presentSubscription(row)), signingSecret: secret };
  });

export const listOfProject = projectProcedure('webhooks:read')
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

export const list = userProcedure
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

export const read = subscriptionProcedure('webhooks:read')
  .meta({
    openapi: {
      method: 'GET',
      path: ofSubscription,
      tags,
      summary: 'Read a subscription',
      description: 'Its settings and how it fares, without its secrets.',
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
      path: ofSubscription,
      tags,
      summary: 'Delete a subscription',
      description: 'With its deliveries, those that wait included. A request under way may still arrive.',
    },
    errors: ['NOT_FOUND', 'VERSION_MISMATCH'],
  })
  .output(removedSubscription)
  .mutation(async ({ ctx, input }) => {
    const { projectId } = ctx.scope;
    const version = expectedVersion(ctx.ifMatch);
    return ctx.db.$transaction(async (tx) => {
      const { count } = await tx.webhookSubscription.deleteMany({ where: { id: input.id, projectId, version } });
      if (count === 0) {
        const there = await tx.webhookSubscription.count({ where: { id: input.id, projectId } });
        throw there > 0
          ? refuse('VERSION_MISMATCH')
          : refuse('NOT_FOUND', { message: 'There is no such subscription.' });
      }
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

/** Whether a URL could be subscribed now; for the form, while it is filled in. */
export const check = projectProcedure('webhooks:write')
  .input(checkUrlInput)
  .output(urlVerdict)
  .query(async ({ input }) => ({ problem: (await checkUrl(input.url, addressRule))?.message ?? null }));
