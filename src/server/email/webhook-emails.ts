import { retryWindowHours } from '@/domain/webhooks/retry';
import { publicUrl } from '@/env';
import type { Email } from '@/server/email/layout';

/** What the emails say about a webhook. `since`: when its deliveries began to fail. */
export type WebhookSummary = { projectName: string; projectSlug: string; id: string; url: string; since: Date | null };

const reason = 'You received this email because you are an owner or admin of the project.';

function action({ projectSlug, id }: WebhookSummary): Email['action'] {
  return { label: 'View webhook', url: `${publicUrl}/dashboard/${projectSlug}/webhooks/${id}` };
}

/** Only the host: the path and the query of the URL may contain secrets. */
const hostOf = (url: string) => new URL(url).host;
const formatTime = (date: Date) => `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`;

function failureOf({ url, since }: WebhookSummary): string {
  return `Every delivery to ${hostOf(url)} has failed${since ? ` since ${formatTime(since)}` : ''}.`;
}

/** The webhook has only failed for days and will be disabled. */
export function webhookFailingEmail(webhook: WebhookSummary): Email {
  return {
    subject: `A webhook of ${webhook.projectName} keeps failing`,
    paragraphs: [
      failureOf(webhook),
      'Laurel keeps trying. After five days of nothing but failures, the webhook is disabled. One successful delivery prevents that.',
    ],
    action: action(webhook),
    reason,
  };
}

/** The webhook was disabled: its server answered 410 Gone, or every delivery failed for five days. */
export function webhookDisabledEmail(webhook: WebhookSummary, why: 'gone_410' | 'only_failures'): Email {
  const cause =
    why === 'gone_410'
      ? `${hostOf(webhook.url)} responded with 410 Gone, which means that it does not want any more deliveries.`
      : failureOf(webhook);
  return {
    subject: `A webhook of ${webhook.projectName} was disabled`,
    paragraphs: [
      `${cause} Laurel has disabled the webhook and no longer sends to it.`,
      `Events are still stored for it. Once your server works again, resume the webhook: events of the last ${retryWindowHours} hours are sent right away, and you can replay older ones.`,
    ],
    action: action(webhook),
    reason,
  };
}
