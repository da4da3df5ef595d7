import { filtersSchema } from '@/domain/webhooks/filters';
import { healthCheckSchema, rateLimitSchema } from '@/domain/webhooks/settings';
import { Prisma } from '@/generated/prisma/client';
import { columnsOf, db, pool, type Tx } from '@/server/db';
import { checkUrl, type UrlProblem } from '@/server/delivery/outbound/addresses';
import { addressRule } from '@/server/delivery/outbound/policy';
import { resolveForCheck } from '@/server/delivery/outbound/resolve';
import { refuse } from '@/server/errors';
import { consumeAttempts } from '@/server/limits/rate-limit';
import { takeNow } from '@/server/limits/take-now';
import { requireRoom } from '@/server/limits/take-quota';
import { boundPage, type PageInput, pageArgs, toPage } from '@/server/paging';
import type { deliveryStatuses } from '@/server/routers/webhooks/schema';

const controlLimit = { points: 20, seconds: 60 };

/**
 * Counts what holds or releases the waiting deliveries of one subscription: a pause, a resume, a reset, or a change of settings
 * that closes its breaker. A loop of them keeps the database from the deliveries of others.
 * @throws TOO_MANY_ATTEMPTS
 */
export async function countControl(subscriptionId: string): Promise<void> {
  await consumeAttempts('webhook-control', subscriptionId, controlLimit);
}

/** The columns that may be returned; no secret is among them. */
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

type SubscriptionRow = Prisma.WebhookSubscriptionGetPayload<{ select: typeof subscriptionSelect }>;

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

// The newest deliveries may all be held; then the newest attempt is of the one that has waited longest, or of a failed one.
const ofStatus = (status: string, order: string) => `(SELECT id FROM webhook_delivery
  WHERE "subscriptionId" = s.id AND status = '${status}' ORDER BY "createdAt" ${order} LIMIT 20)`;

// Of each delivery only the newest attempt that ended is read: replays may have made thousands.
const LAST_ATTEMPTS = `
  SELECT s.id AS "subscriptionId", a.* FROM unnest($1::text[]) AS s (id)
  CROSS JOIN LATERAL (
    SELECT a.* FROM (
      (SELECT id FROM webhook_delivery WHERE "subscriptionId" = s.id ORDER BY "createdAt" DESC, id DESC LIMIT 20)
      UNION ${ofStatus('pending', 'ASC')} UNION ${ofStatus('held', 'ASC')} UNION ${ofStatus('failed', 'DESC')}
    ) d CROSS JOIN LATERAL (
      SELECT "deliveryId", outcome, "responseStatus", "errorClass", "errorMessage", "startedAt" FROM webhook_attempt
      WHERE "deliveryId" = d.id AND outcome <> 'running' ORDER BY number DESC LIMIT 1) a
    ORDER BY a."startedAt" DESC LIMIT 1) a`;

const iso = (date: Date | null) => date?.toISOString() ?? null;

/** Subscriptions as the API returns them, each with its newest delivery and its newest attempt. */
async function presentSubscriptions(rows: SubscriptionRow[]) {
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
    const unlessPast = (until: Date | null) => iso(until && until > now ? until : null);
    return {
      ...shown,
      authentication: { mode: authMode, label: authLabel },
      previousSecretUntil: unlessPast(row.previousSecretUntil),
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
      holdUntil: unlessPast(row.holdUntil),
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

/** A subscription as the API returns it. @throws NOT_FOUND for null: it was deleted in the meantime */
export async function presentSubscription(row: SubscriptionRow | null) {
  const [presented] = await presentSubscriptions(row ? [row] : []);
  if (!presented) throw refuse('NOT_FOUND', { message: 'There is no such subscription.' });
  return presented;
}

/**
 * Locks a subscription until the transaction ends and reads it.
 * @throws NOT_FOUND where the project has no such subscription
 */
export async function lockSubscription<Select extends Prisma.WebhookSubscriptionSelectScalar>(
  tx: Tx,
  { id, projectId }: { id: string; projectId: string },
  select: Select,
) {
  const [row] = await tx.$queryRaw<Prisma.WebhookSubscriptionGetPayload<{ select: Select }>[]>`
    SELECT ${columnsOf('s', select)} FROM "webhook_subscription" s
    WHERE s."id" = ${id} AND s."projectId" = ${projectId} FOR NO KEY UPDATE`;
  if (!row) throw refuse('NOT_FOUND', { message: 'There is no such subscription.' });
  return row;
}

/**
 * Checks that the plan has room for one more subscription. The project must be locked.
 * @throws QUOTA_EXCEEDED
 */
export async function requireRoomForWebhook(tx: Tx, projectId: string): Promise<void> {
  const { plan, _count: count } = await tx.project.findUniqueOrThrow({
    where: { id: projectId },
    select: { plan: true, _count: { select: { subscriptions: true } } },
  });
  requireRoom('webhooks', projectId, count.subscriptions, plan);
}

/** What two spellings of an address that get the same requests have in common; a query does not make it another one. */
function endpointOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname.replace(/\/+$/, '');
}

/**
 * Checks that one more subscription may send to the URL: each of them multiplies what one change sends there. The project
 * must be locked.
 * @param except the subscription that is about to change to the URL
 * @throws QUOTA_EXCEEDED
 */
export async function requireRoomForUrl(tx: Tx, projectId: string, url: string, except?: string): Promise<void> {
  const rows = await tx.webhookSubscription.findMany({
    where: { projectId, id: { not: except } },
    select: { url: true },
  });
  const same = rows.filter((row) => endpointOf(row.url) === endpointOf(url));
  requireRoom('webhooksPerUrl', projectId, same.length);
}

/** A page of the subscriptions of projects, newest first. */
export async function listSubscriptions(projectIds: string[], input: PageInput) {
  const [counted] = await db.$queryRaw<{ total: number; bytes: number | null }[]>`
    SELECT count(*)::int AS total, max(octet_length("filters"::text)) AS bytes
    FROM "webhook_subscription" WHERE "projectId" = ANY(${projectIds})`;
  const page = boundPage(input, { bytes: counted?.bytes });
  const rows = await db.webhookSubscription.findMany({
    where: { projectId: { in: projectIds } },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    select: subscriptionSelect,
    ...pageArgs(page),
  });
  return toPage(await presentSubscriptions(rows), counted?.total ?? 0, page);
}

/**
 * What is wrong with a URL that somebody typed, if anything: whoever owns its name decides how long that takes.
 * @throws QUOTA_EXCEEDED (429)
 */
export async function checkTyped(url: string, userId: string): Promise<UrlProblem | null> {
  await takeNow('urlChecks', userId);
  return checkUrl(url, addressRule, (hostname) => resolveForCheck(hostname, userId));
}

/** @throws WEBHOOK_URL_REFUSED naming the field, when requests may not go to one of the URLs; QUOTA_EXCEEDED (429) */
export async function requireAllowedUrls(
  userId: string,
  urls: { path: string; url: string | undefined }[],
): Promise<void> {
  for (const { path, url } of urls) {
    const problem = url === undefined ? null : await checkTyped(url, userId);
    if (problem) {
      throw refuse('WEBHOOK_URL_REFUSED', { message: problem.message, issues: [{ path, message: problem.message }] });
    }
  }
}

/** A value for a JSON column; null clears it. */
export const jsonColumn = (value: Prisma.InputJsonObject | null) => value ?? Prisma.DbNull;
