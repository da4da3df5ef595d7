import type { Tx } from '@/server/db';
import { db } from '@/server/db';
import { type WebhookOfLetter, webhookDisabledLetter, webhookFailingLetter } from '@/server/letters-webhooks';
import { type Letter, queueMail } from '@/server/mail';

const mailTo = ['OWNER', 'ADMIN'] as const;

export type WebhookNotice = { kind: 'warned' } | { kind: 'disabled'; why: 'gone_410' | 'only_failures' };

function letterFor(notice: WebhookNotice, webhook: WebhookOfLetter): Letter {
  return notice.kind === 'warned' ? webhookFailingLetter(webhook) : webhookDisabledLetter(webhook, notice.why);
}

/**
 * Puts a letter for every owner and admin of the subscription's project into the outbox. What has passed by then is not
 * told of: the receiver recovered, or someone resumed the subscription.
 * @returns ids for `mailQueued`
 */
export async function queueWebhookLetters(subscriptionId: string, notice: WebhookNotice): Promise<string[]> {
  return db.$transaction(async (tx) => {
    const row = await tx.webhookSubscription.findUnique({
      where: { id: subscriptionId },
      select: {
        id: true,
        url: true,
        status: true,
        failingSince: true,
        project: { select: { name: true, slug: true } },
        projectId: true,
      },
    });
    const holds = notice.kind === 'disabled' ? row?.status === 'disabled' : row?.failingSince != null;
    if (!row || !holds) return [];
    const { id, url, failingSince: since, project } = row;
    const letter = letterFor(notice, { id, url, since, projectName: project.name, projectSlug: project.slug });
    return Promise.all(
      (await recipients(tx, row.projectId)).map((to) => queueMail(tx, { to, kind: `webhook_${notice.kind}`, letter })),
    );
  });
}

async function recipients(tx: Tx, projectId: string): Promise<string[]> {
  const members = await tx.member.findMany({
    where: { projectId, role: { in: [...mailTo] }, user: { suspendedAt: null } },
    orderBy: { userId: 'asc' },
    select: { user: { select: { email: true } } },
  });
  return members.map(({ user }) => user.email);
}
