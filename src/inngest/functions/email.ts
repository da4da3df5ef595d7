import { cron } from 'inngest';
import { queueDigests } from '@/server/email/digest';
import { dueEmails, sendQueuedEmail } from '@/server/email/outbox';
import { inngest } from '@/server/jobs/client';
import { emailQueued } from '@/server/jobs/events';

const maxSwept = 200;

/** Sends an email as soon as the change that queued it is committed. */
export const sendEmail = inngest.createFunction(
  { id: 'send-email', triggers: [emailQueued], concurrency: { limit: 5 } },
  async ({ event, step }) => step.run('send', () => sendQueuedEmail(event.data.emailId)),
);

/** Sends emails that are still in the outbox after a crash or a failure of the mail server, and digests that are due. */
export const sweepOutbox = inngest.createFunction(
  { id: 'sweep-outbox', triggers: [cron('* * * * *')] },
  async ({ step }) => {
    const digests = await step.run('digests', () => queueDigests(maxSwept));
    const due = [...digests, ...(await step.run('find', () => dueEmails(maxSwept)))];
    if (due.length > 0) {
      await step.sendEvent(
        'send',
        due.map((emailId) => emailQueued.create({ emailId })),
      );
    }
    return { sent: due.length };
  },
);
