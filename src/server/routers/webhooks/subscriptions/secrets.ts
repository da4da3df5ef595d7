import { decryptSecret, encryptSecret } from '@/server/crypto';
import { createSigningSecret } from '@/server/delivery/secrets';
import { refuse } from '@/server/errors';
import { expectedVersion } from '@/server/if-match';
import { auditSubscription } from '@/server/routers/webhooks/data';
import { subscriptionProcedure } from '@/server/routers/webhooks/gate';
import { lockSubscription } from '@/server/routers/webhooks/subscriptions/data';
import { rotatedSecret, rotateSecretInput, signingSecret } from '@/server/routers/webhooks/subscriptions/schema';

const tags = ['Webhooks'];
const path = '/webhooks/subscriptions/{id}';

export const rotateSecret = subscriptionProcedure('webhooks:write')
  .meta({
    openapi: {
      method: 'POST',
      path: `${path}/rotate-secret`,
      tags,
      summary: 'Rotate the signing secret',
      description:
        'Requests are signed with the new secret from now on. During the overlap, `webhook-signature` contains a signature by each secret; `X-Webhook-Signature` and `signature` use the new one. The secret of an earlier rotation stops working at once.',
    },
    errors: ['NOT_FOUND', 'INVALID_STATE', 'VERSION_MISMATCH'],
  })
  .input(rotateSecretInput)
  .output(rotatedSecret)
  .mutation(async ({ ctx, input }) => {
    const key = { id: input.id, projectId: ctx.scope.projectId };
    const secret = createSigningSecret();
    return ctx.db.$transaction(async (tx) => {
      const expected = expectedVersion(ctx.ifMatch);
      const before = await lockSubscription(tx, key, {
        version: true,
        signPayload: true,
        signingSecretEncrypted: true,
      });
      if (expected !== undefined && expected !== before.version) throw refuse('VERSION_MISMATCH');
      if (!before.signPayload) {
        throw refuse('INVALID_STATE', {
          message: 'This subscription does not sign its requests. Turn signing on first.',
        });
      }
      const until = input.overlapHours > 0 ? new Date(Date.now() + input.overlapHours * 3_600_000) : null;
      await tx.webhookSubscription.update({
        where: { id: input.id },
        data: {
          signingSecretEncrypted: encryptSecret(secret),
          previousSecretEncrypted: until && before.signingSecretEncrypted,
          previousSecretUntil: until,
          version: { increment: 1 },
        },
        select: { id: true },
      });
      await auditSubscription(tx, ctx.by, key, 'webhook.rotate_secret', { overlapHours: input.overlapHours });
      return { signingSecret: secret, previousSecretUntil: until?.toISOString() ?? null };
    });
  });

export const revealSecret = subscriptionProcedure('webhooks:write')
  .meta({
    openapi: {
      method: 'POST',
      path: `${path}/reveal-secret`,
      tags,
      summary: 'Show the signing secret',
      description: 'Shows it again, for setting up a receiver. The audit log records who did.',
    },
    errors: ['NOT_FOUND'],
  })
  .output(signingSecret)
  .mutation(async ({ ctx, input }) => {
    const key = { id: input.id, projectId: ctx.scope.projectId };
    return ctx.db.$transaction(async (tx) => {
      const row = await lockSubscription(tx, key, { signingSecretEncrypted: true });
      if (!row.signingSecretEncrypted) {
        throw refuse('NOT_FOUND', { message: 'This subscription does not sign its requests, so it has no secret.' });
      }
      await auditSubscription(tx, ctx.by, key, 'webhook.reveal_secret');
      return { signingSecret: decryptSecret(row.signingSecretEncrypted) };
    });
  });
