import { cron } from 'inngest';
import { dueEmails, sendQueuedEmail } from '@/server/email/outbox';
import { inngest } from '@/server/jobs/client';
import { mailQueued } from '@/server/jobs/events';

/** Sends a message as soon as the change that causes it is committed. */
export const sendMail = inngest.createFunction(
  { id: 'send-mail', triggers: [mailQueued], concurrency: { limit: 5 } },
  async ({ event, step }) => step.run('send', () => sendQueuedEmail(event.data.mailId)),
);

/** Hands on what a crash or a mail server's refusal left in the outbox. */
export const sweepMail = inngest.createFunction(
  { id: 'sweep-mail', triggers: [cron('* * * * *')] },
  async ({ step }) => {
    const due = await step.run('find', () => dueEmails(200));
    if (due.length > 0) {
      await step.sendEvent(
        'hand-on',
        due.map((mailId) => mailQueued.create({ mailId })),
      );
    }
    return { handedOn: due.length };
  },
);
