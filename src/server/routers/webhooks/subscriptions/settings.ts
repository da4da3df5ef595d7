import type { Prisma } from '@/generated/prisma/client';
import { decryptSecret, encryptSecret } from '@/server/crypto';
import type { Tx } from '@/server/db';
import { closeBreaker, wakeQueues } from '@/server/delivery/queue/queue';
import { mintSigningSecret } from '@/server/delivery/rules';
import { refuse } from '@/server/errors';
import { audit } from '@/server/events/emit';
import { expectedVersion } from '@/server/if-match';
import {
  type AuthenticationChange,
  changedSubscription,
  updateSubscriptionInput,
} from '@/server/routers/webhooks/schema';
import { credentialOf, joinCredential } from '@/server/routers/webhooks/subscriptions/rules';
import {
  orNull,
  presentSubscription,
  requireReachable,
  requireWayBack,
  subscriptionSelect,
} from '@/server/routers/webhooks/subscriptions/subscriptions';
import { subscriptionProcedure } from '@/server/trpc';

const lockedSelect = {
  version: true,
  url: true,
  breakerState: true,
  authMode: true,
  authSecretEncrypted: true,
  signPayload: true,
  signingSecretEncrypted: true,
} as const satisfies Prisma.WebhookSubscriptionSelect;

/** The subscription's row, which stays as it is until the transaction ends. @throws NOT_FOUND */
async function lockSubscription(tx: Tx, id: string, projectId: string) {
  await tx.$queryRaw`SELECT id FROM webhook_subscription WHERE id = ${id} FOR UPDATE`;
  const row = await tx.webhookSubscription.findUnique({ where: { id, projectId }, select: lockedSelect });
  if (!row) throw refuse('NOT_FOUND', { message: 'There is no such subscription.' });
  return row;
}

type Locked = Awaited<ReturnType<typeof lockSubscription>>;

/** The columns of a changed authentication; what it leaves out stays. @throws VALIDATION_FAILED naming what is missing */
function authColumns(change: AuthenticationChange, row: Locked) {
  const secret = row.authSecretEncrypted && decryptSecret(row.authSecretEncrypted);
  const joined = joinCredential(change, { mode: row.authMode, secret });
  if ('missing' in joined) {
    const message = `The mode ${change.mode} needs this.`;
    const issues = joined.missing.map((field) => ({ path: `authentication.${field}`, message }));
    throw refuse('VALIDATION_FAILED', { issues });
  }
  const credential = credentialOf(joined.complete);
  return {
    authMode: change.mode,
    authSecretEncrypted: credential.secret && encryptSecret(credential.secret),
    authLabel: credential.label,
  };
}

/** Whether payloads are signed after the change. A mode that signs by itself takes its signature along when it goes. */
function signsAfter(row: Locked, mode: string | undefined, asked: boolean | undefined): boolean {
  if ((mode ?? row.authMode) === 'hmac_signature') return true;
  return asked ?? (row.authMode === 'hmac_signature' ? false : row.signPayload);
}

/** What the present address did wrong says nothing of another one. */
const freshStart = { failingSince: null, failureWarnedAt: null };
const unchecked = { healthStatus: null, healthCheckedAt: null, healthDetail: null };

export const update = subscriptionProcedure('webhooks:write')
  .meta({
    openapi: {
      method: 'PATCH',
      path: '/webhooks/subscriptions/{id}',
      tags: ['Webhooks'],
      summary: 'Change a subscription',
      description:
        'Only the fields sent change; `null` takes an optional one away. Deliveries that wait go out by the new settings. Another `url` starts afresh, with a closed breaker. A `signingSecret` is in the answer where this change made the first one.',
    },
    errors: ['NOT_FOUND', 'VERSION_MISMATCH', 'WEBHOOK_URL_REFUSED'],
  })
  .input(updateSubscriptionInput)
  .output(changedSubscription)
  .mutation(async ({ ctx, input }) => {
    const { projectId } = ctx.scope;
    const { id, version: inBody, allowLockout, authentication, signPayload, ...settings } = input;
    const { rateLimitConfig, filters, healthCheck, ...plain } = settings;
    const expected = expectedVersion(ctx.ifMatch, inBody);
    requireWayBack(input.ipWhitelist, ctx.ip, allowLockout);
    await requireReachable([
      { path: 'url', url: input.url },
      { path: 'healthCheck.url', url: healthCheck?.url },
    ]);
    const changed = await ctx.db.$transaction(async (tx) => {
      const before = await lockSubscription(tx, id, projectId);
      if (expected !== undefined && expected !== before.version) throw refuse('VERSION_MISMATCH');
      const signs = signsAfter(before, authentication?.mode, signPayload);
      const first = signs && !before.signingSecretEncrypted ? mintSigningSecret() : null;
      const moved = input.url !== undefined && input.url !== before.url;
      const opens = moved || (input.enableCircuitBreaker === false && before.breakerState !== 'closed');
      if (opens) await closeBreaker(tx, id);
      const row = await tx.webhookSubscription.update({
        where: { id },
        data: {
          ...plain,
          ...(moved ? freshStart : {}),
          ...(moved || healthCheck !== undefined ? unchecked : {}),
          ...(authentication ? authColumns(authentication, before) : {}),
          ...(rateLimitConfig === undefined ? {} : { rateLimitConfig: orNull(rateLimitConfig) }),
          ...(filters === undefined ? {} : { filters: orNull(filters) }),
          ...(healthCheck === undefined ? {} : { healthCheck: orNull(healthCheck) }),
          ...(first ? { signingSecretEncrypted: encryptSecret(first) } : {}),
          signPayload: signs,
          version: { increment: 1 },
        },
        select: subscriptionSelect,
      });
      const changes = Object.keys({ ...settings, authentication, signPayload }).filter(
        (field) => input[field as keyof typeof input] !== undefined,
      );
      await audit(tx, ctx.by, {
        projectId,
        action: 'webhook.update',
        targetType: 'webhook_subscription',
        targetId: id,
        details: { changes, ...(input.url === undefined ? {} : { url: row.url }) },
      });
      return { row, first };
    });
    // Other caps, another address or an open way may let go what waits.
    await wakeQueues([id]);
    return { ...(await presentSubscription(changed.row)), signingSecret: changed.first };
  });
