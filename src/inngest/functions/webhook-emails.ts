import { queueWebhookLetters } from '@/server/delivery/owner-emails';
import { inngest } from '@/server/jobs/client';
import { mailQueued, webhookSubscriptionDisabled, webhookSubscriptionWarned } from '@/server/jobs/events';

/** Tells owners and admins that a webhook keeps failing, before it is switched off. */
export const mailFailingWebhook = inngest.createFunction(
  { id: 'webhook-mail-failing', name: 'Webhooks: mail about failures', triggers: [webhookSubscriptionWarned] },
  async ({ event, step }) => {
    const mailIds = await step.run('write', () => queueWebhookLetters(event.data.subscriptionId, { kind: 'warned' }));
    if (mailIds.length === 0) return;
    await step.sendEvent(
      'send',
      mailIds.map((mailId) => mailQueued.create({ mailId })),
    );
  },
);

/** Tells owners and admins that a webhook was switched off, and why. */
export const mailDisabledWebhook = inngest.createFunction(
  { id: 'webhook-mail-disabled', name: 'Webhooks: mail about an end', triggers: [webhookSubscriptionDisabled] },
  async ({ event, step }) => {
    const { subscriptionId, reason: why } = event.data;
    const mailIds = await step.run('write', () => queueWebhookLetters(subscriptionId, { kind: 'disabled', why }));
    if (mailIds.length === 0) return;
    await step.sendEvent(
      'send',
      mailIds.map((mailId) => mailQueued.create({ mailId })),
    );
  },
);
