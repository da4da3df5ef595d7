import { rolesWith } from '@/domain/projects/permissions';
import { db, type Tx } from '@/server/db';
import type { Email } from '@/server/email/layout';
import { queueEmailsOnce } from '@/server/email/outbox';
import { type WebhookSummary, webhookDisabledEmail, webhookFailingEmail } from '@/server/email/webhook-emails';

export type WebhookNotice = { kind: 'warned' } | { kind: 'disabled'; why: 'gone_410' | 'only_failures' };

function letterFor(notice: WebhookNotice, webhook: WebhookSummary): Email {
  return notice.kind === 'warned' ? webhookFailingEmail(webhook) : webhookDisabledEmail(webhook, notice.why);
}

/**
 * Puts a letter for every owner and admin of the subscription's project into the outbox, once for each cause. What has
 * passed by then is not told of: the receiver recovered, or someone resumed the subscription.
 * @returns ids for `mailQueued`
 */
export async function queueWebhookLetters(subscriptionId: string, notice: WebhookNotice): Promise<string[]> {
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
    const cause = notice.kind === 'disabled' ? row?.disabledAt : row?.failingSince;
    if (!row || !cause) return [];
    const { id, url, failingSince: since, project } = row;
    const letter = letterFor(notice, { id, url, since, projectName: project.name, projectSlug: project.slug });
    const kind = `webhook_${notice.kind}`;
    const mails = (await recipients(tx, project.id)).map(({ id: userId, email }) => ({
      to: email,
      kind,
      email: letter,
      dedupeKey: `${kind}:${id}:${cause.toISOString()}:${userId}`,
    }));
    return queueEmailsOnce(tx, mails);
  });
}

async function recipients(tx: Tx, projectId: string): Promise<{ id: string; email: string }[]> {
  const members = await tx.member.findMany({
    where: { projectId, role: { in: rolesWith('webhooks:read') }, user: { suspendedAt: null } },
    orderBy: { userId: 'asc' },
    select: { user: { select: { id: true, email: true } } },
  });
  return members.map(({ user }) => user);
}
