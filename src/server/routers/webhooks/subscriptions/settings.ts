import { isSameOrigin } from '@/domain/webhooks/settings';
import type { Prisma } from '@/generated/prisma/client';
import { decryptSecret, encryptSecret } from '@/server/crypto';
import { closeBreaker } from '@/server/delivery/breaker';
import { createSigningSecret } from '@/server/delivery/secrets';
import { triggerDelivery } from '@/server/delivery/sending/worker';
import { refuse } from '@/server/errors';
import { expectedVersion } from '@/server/if-match';
import { lockProject } from '@/server/routers/projects/data';
import { auditSubscription } from '@/server/routers/webhooks/data';
import { subscriptionProcedure } from '@/server/routers/webhooks/gate';
import {
  countControl,
  jsonColumn,
  lockSubscription,
  presentSubscription,
  requireAllowedUrls,
  requireRoomForUrl,
  subscriptionSelect,
} from '@/server/routers/webhooks/subscriptions/data';
import {
  credentialOf,
  mergeCredential,
  preventLockout,
  requiredFields,
} from '@/server/routers/webhooks/subscriptions/rules';
import {
  type AuthenticationChange,
  changedSubscription,
  updateSubscriptionInput,
} from '@/server/routers/webhooks/subscriptions/schema';

const lockedSelect = {
  version: true,
  url: true,
  breakerState: true,
  authMode: true,
  authSecretEncrypted: true,
  signPayload: true,
  signingSecretEncrypted: true,
} as const satisfies Prisma.WebhookSubscriptionSelect;

type Locked = Prisma.WebhookSubscriptionGetPayload<{ select: typeof lockedSelect }>;

/**
 * The columns of a changed authentication. A credential is never shown again, so another scheme, host or port does not
 * get the stored one either: it has to be entered for it.
 * @param url the new URL, if it changes
 * @throws VALIDATION_FAILED naming the fields that are missing
 */
function authColumns(change: AuthenticationChange | undefined, row: Locked, url: string = row.url) {
  const stays = isSameOrigin(row.url, url);
  const { mode } = change ?? { mode: row.authMode };
  if (!change && (stays || requiredFields[mode].length === 0)) return {};
  const secret = stays && row.authSecretEncrypted ? decryptSecret(row.authSecretEncrypted) : null;
  const merged = mergeCredential(change ?? { mode }, { mode: row.authMode, secret });
  if ('missing' in merged) {
    const message =
      stays || mode !== row.authMode
        ? `The mode ${mode} needs this.`
        : 'The stored one was entered for another scheme, host or port. Enter it again.';
    const issues = merged.missing.map((field) => ({ path: `authentication.${field}`, message }));
    throw refuse('VALIDATION_FAILED', { issues });
  }
  const credential = credentialOf(merged.complete);
  return {
    authMode: mode,
    authSecretEncrypted: credential.secret && encryptSecret(credential.secret),
    authLabel: credential.label,
  };
}

/** Whether payloads are signed after the change. A change away from `hmac_signature` turns signing off. */
function signsAfter(row: Locked, mode: string | undefined, requested: boolean | undefined): boolean {
  if ((mode ?? row.authMode) === 'hmac_signature') return true;
  return requested ?? (row.authMode === 'hmac_signature' ? false : row.signPayload);
}

/** Failures and health checks of the previous URL do not count against a new one. */
const noFailures = { failingSince: null, failureWarnedAt: null };
const noHealth = { healthStatus: null, healthCheckedAt: null, healthDetail: null };

export const update = subscriptionProcedure('webhooks:write')
  .meta({
    openapi: {
      method: 'PATCH',
      path: '/webhooks/subscriptions/{id}',
      tags: ['Webhooks'],
      summary: 'Change a subscription',
      description:
        'Only the fields that you send change; `null` clears an optional one. Waiting deliveries are sent with the new settings. A new `url` starts with a closed breaker and no failures; with another scheme, host or port, it needs the credential again. The response contains `signingSecret` only where this change created the first one.',
    },
    errors: ['NOT_FOUND', 'VERSION_MISMATCH', 'WEBHOOK_URL_REFUSED', 'TOO_MANY_ATTEMPTS'],
    quotas: ['webhooksPerUrl', 'urlChecks'],
  })
  .input(updateSubscriptionInput)
  .output(changedSubscription)
  .mutation(async ({ ctx, input }) => {
    const { id, version: inBody, allowLockout, authentication, signPayload, ...settings } = input;
    const { rateLimitConfig, filters, healthCheck, ...plain } = settings;
    const key = { id, projectId: ctx.scope.projectId };
    const expected = expectedVersion(ctx.ifMatch, inBody);
    preventLockout(input.ipWhitelist, ctx.ip, allowLockout);
    await requireAllowedUrls(ctx.actingUser.id, [
      { path: 'url', url: input.url },
      { path: 'healthCheck.url', url: healthCheck?.url },
    ]);
    const closesBreakerOf = (row: Pick<Locked, 'url' | 'breakerState'>) =>
      (input.url !== undefined && input.url !== row.url) ||
      (input.enableCircuitBreaker === false && row.breakerState !== 'closed');
    // Before the transaction, whose connection as many as there are would hold while they wait for another one to count.
    const counted = closesBreakerOf(ctx.subscription);
    if (counted) await countControl(id);
    const changed = await ctx.db.$transaction(async (tx) => {
      if (input.url !== undefined) await lockProject(tx, key.projectId, ctx.actingUser.id, 'webhooks:write');
      const before = await lockSubscription(tx, key, lockedSelect);
      if (expected !== undefined && expected !== before.version) throw refuse('VERSION_MISMATCH');
      const signs = signsAfter(before, authentication?.mode, signPayload);
      const newSecret = signs && !before.signingSecretEncrypted ? createSigningSecret() : null;
      const urlChanged = input.url !== undefined && input.url !== before.url;
      if (urlChanged) await requireRoomForUrl(tx, key.projectId, input.url ?? '', id);
      if (closesBreakerOf(before)) {
        if (!counted) throw refuse('VERSION_MISMATCH');
        await closeBreaker(tx, id);
      }
      const row = await tx.webhookSubscription.update({
        where: { id },
        data: {
          ...plain,
          ...(urlChanged ? noFailures : {}),
          ...(urlChanged || healthCheck !== undefined ? noHealth : {}),
          ...authColumns(authentication, before, input.url),
          ...(rateLimitConfig === undefined ? {} : { rateLimitConfig: jsonColumn(rateLimitConfig) }),
          ...(filters === undefined ? {} : { filters: jsonColumn(filters) }),
          ...(healthCheck === undefined ? {} : { healthCheck: jsonColumn(healthCheck) }),
          ...(newSecret ? { signingSecretEncrypted: encryptSecret(newSecret) } : {}),
          signPayload: signs,
          version: { increment: 1 },
        },
        select: subscriptionSelect,
      });
      const changes = Object.keys({ ...settings, authentication, signPayload }).filter(
        (field) => input[field as keyof typeof input] !== undefined,
      );
      const url = input.url === undefined ? {} : { url: row.url };
      await auditSubscription(tx, ctx.by, key, 'webhook.update', { changes, ...url });
      return { row, newSecret };
    });
    // New rate limits, a new URL or a closed breaker may make waiting deliveries due.
    await triggerDelivery([id]);
    return { ...(await presentSubscription(changed.row)), signingSecret: changed.newSecret };
  });
