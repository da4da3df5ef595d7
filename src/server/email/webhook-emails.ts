import { publicUrl } from '@/env';
import type { Email } from '@/server/email/outbox';

export type WebhookSummary = { projectName: string; projectSlug: string; id: string; url: string; since: Date | null };

const reason = 'You get this because you are an owner or admin of the project.';

function action({ projectSlug, id }: WebhookSummary): Email['action'] {
  return { label: 'See what went wrong', url: `${publicUrl}/dashboard/${projectSlug}/webhooks/${id}` };
}

/** Host alone: the path or the query of a receiver's URL may hold something that is nobody else's business. */
const hostOf = (url: string) => new URL(url).host;
const dayOf = (date: Date) => `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
const sinceOf = ({ since }: WebhookSummary) => (since ? ` since ${dayOf(since)}` : '');

/** A receiver has only failed for days and will be switched off. */
export function webhookFailingEmail(webhook: WebhookSummary): Email {
  return {
    subject: `A webhook of ${webhook.projectName} keeps failing`,
    paragraphs: [
      `Every delivery to ${hostOf(webhook.url)} has failed${sinceOf(webhook)}.`,
      'Laurel goes on trying. After five days of nothing but failures it switches the webhook off; one success is enough to prevent that.',
    ],
    action: action(webhook),
    reason,
  };
}

/** A receiver was switched off by the sender: it was gone, or had nothing but failures for five days. */
export function webhookDisabledEmail(webhook: WebhookSummary, why: 'gone_410' | 'only_failures'): Email {
  const cause =
    why === 'gone_410'
      ? `${hostOf(webhook.url)} answered 410 Gone, which means that it wants no more deliveries.`
      : `Every delivery to ${hostOf(webhook.url)} has failed${sinceOf(webhook)}.`;
  return {
    subject: `A webhook of ${webhook.projectName} was switched off`,
    paragraphs: [
      `${cause} Laurel sends nothing there any more.`,
      'Events are kept for it all the same. When the receiver works again, resume the webhook: what is younger than 24 hours goes out at once, and the rest can be replayed.',
    ],
    action: action(webhook),
    reason,
  };
}
