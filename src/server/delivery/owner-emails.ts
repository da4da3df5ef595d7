import { rolesWith } from '@/domain/projects/permissions';
import { db, type Tx } from '@/server/db';
import { type DisabledReason, findNewNotices } from '@/server/delivery/auto-disable';
import type { Email } from '@/server/email/layout';
import { queueEmailsOnce } from '@/server/email/outbox';
import { type WebhookSummary, webhookDisabledEmail, webhookFailingEmail } from '@/server/email/webhook-emails';
import { logger } from '@/server/logger';

export type WebhookNotice = { kind: 'warned' } | { kind: 'disabled'; reason: DisabledReason };

function composeNotice(notice: WebhookNotice, webhook: WebhookSummary): Email {
  return notice.kind === 'warned' ? webhookFailingEmail(webhook) : webhookDisabledEmail(webhook, notice.reason);
}

/**
 * Puts an email for every owner and admin of the subscription's project into the outbox, once for each cause. Writes none
 * when the cause no longer holds: a delivery succeeded, or someone resumed the subscription.
 * @returns their ids
 */
export async function queueWebhookEmails(subscriptionId: string, notice: WebhookNotice): Promise<string[]> {
  return db.$transaction(async (tx) => {
    const row = await tx.webhookSubscription.findUnique({
      where: { id: subscriptionId },
      select: {
        id: true,
        url: true,
        disabledAt: true,
        failingSince: true,
        project: { select: { id: true, name: true, slug: true } },
      },
    });
    const causedAt = notice.kind === 'disabled' ? row?.disabledAt : row?.failingSince;
    if (!row || !causedAt) return [];
    const { id, url, failingSince: since, project } = row;
    const email = composeNotice(notice, { id, url, since, projectName: project.name, projectSlug: project.slug });
    const kind = `webhook_${notice.kind}`;
    const emails = (await findRecipients(tx, project.id)).map(({ id: userId, email: to }) => ({
      to,
      kind,
      email,
      dedupeKey: `${kind}:${id}:${causedAt.toISOString()}:${userId}`,
      sourceId: project.id,
    }));
    await tx.$executeRaw`UPDATE "webhook_subscription" SET "ownersEmailedAt" = now() WHERE "id" = ${id}`;
    return queueEmailsOnce(tx, emails);
  });
}

async function findRecipients(tx: Tx, projectId: string): Promise<{ id: string; email: string }[]> {
  const members = await tx.member.findMany({
    where: { projectId, role: { in: rolesWith('webhooks:read') }, user: { suspendedAt: null } },
    orderBy: { userId: 'asc' },
    select: { user: { select: { id: true, email: true } } },
  });
  return members.map(({ user }) => user);
}

/** Has owners emailed about notices that nobody was emailed about. One that fails is tried again the next time. */
export async function queueOwnerEmails(limit: number): Promise<void> {
  for (const { subscriptionId, ...notice } of await findNewNotices(limit)) {
    try {
      await queueWebhookEmails(subscriptionId, notice);
    } catch (error) {
      logger.warn({ err: error, subscriptionId, kind: notice.kind }, 'could not email the owners of a webhook');
    }
  }
}
