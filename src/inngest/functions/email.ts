import { cron } from 'inngest';
import { queueDigests } from '@/server/email/digest';
import { sendQueuedEmail } from '@/server/email/outbox';
import { inngest } from '@/server/jobs/client';
import { emailQueued } from '@/server/jobs/events';

const maxDigests = 200;

/** Sends an email as soon as the change that queued it is committed. */
export const sendEmail = inngest.createFunction(
  { id: 'send-email', triggers: [emailQueued], concurrency: { limit: 5 } },
  async ({ event, step }) => step.run('send', () => sendQueuedEmail(event.data.emailId)),
);

/** Sends the digests that are due. */
export const sendDigests = inngest.createFunction(
  { id: 'send-digests', triggers: [cron('* * * * *')] },
  async ({ step }) => {
    const due = await step.run('write', () => queueDigests(maxDigests));
    if (due.length > 0) {
      await step.sendEvent(
        'send',
        due.map((emailId) => emailQueued.create({ emailId })),
      );
    }
    return { sent: due.length };
  },
);
