import { undispatch } from '@/server/events/relay';
import { inngest } from '@/server/jobs/client';
import { domainEventsCommitted, emailQueued } from '@/server/jobs/events';
import { queueCancellationEmails, queueParticipantEmails } from '@/server/routers/participants/data-emails';

const toSend = (emailIds: string[]) => emailIds.map((emailId) => emailQueued.create({ emailId }, { id: emailId }));

/**
 * Emails participants about committed events that concern them. The outbox accepts one email for each event and recipient, so
 * that an event which is relayed twice is emailed once.
 */
export const emailParticipants = inngest.createFunction(
  {
    id: 'email-participants',
    name: 'Email: participants',
    retries: 10,
    triggers: [domainEventsCommitted],
    concurrency: { limit: 4 },
    // When all retries have failed, the relay takes the events again; too old ones are not emailed any more.
    onFailure: async ({ event, step }) => {
      const { eventIds } = event.data.event.data as { eventIds: string[] };
      await step.run('hand-back', () => undispatch(eventIds));
    },
  },
  async ({ event, step }) => {
    const { emailIds, cancellations } = await step.run('write', () => queueParticipantEmails(event.data.eventIds));
    if (emailIds.length > 0) await step.sendEvent('send', toSend(emailIds));
    for (const eventId of cancellations) {
      let after: string | null = '';
      for (let page = 1; after !== null; page += 1) {
        const from: string = after;
        const written: { emailIds: string[]; next: string | null } = await step.run(`write-${eventId}-${page}`, () =>
          queueCancellationEmails(eventId, from),
        );
        if (written.emailIds.length > 0) await step.sendEvent(`send-${eventId}-${page}`, toSend(written.emailIds));
        after = written.next;
      }
    }
  },
);
