import type { EventEmails } from '@/server/delivery/sending/drain';
import { inngest } from '@/server/jobs/client';
import { domainEventsCommitted, emailQueued } from '@/server/jobs/events';
import {
  emailedEvents,
  emailsWritten,
  queueCancellationEmails,
  queueEmailsAbout,
  queueParticipantEmails,
} from '@/server/routers/participants/data-emails';

const toSend = (emailIds: string[]) => emailIds.map((emailId) => emailQueued.create({ emailId }, { id: emailId }));

/**
 * Writes emails about events in the run that takes them. A cancellation, which may concern thousands, and what cannot be
 * written now, get a run of their own.
 */
export const eventEmails: EventEmails = {
  types: emailedEvents,
  async write(events) {
    const { emailIds, cancellations } = await queueEmailsAbout(events);
    const later = new Set(cancellations);
    await emailsWritten(events.map(({ id }) => id).filter((id) => !later.has(id)));
    if (emailIds.length > 0) await inngest.send(toSend(emailIds));
    if (cancellations.length > 0) await inngest.send(domainEventsCommitted.create({ eventIds: cancellations }));
  },
};

/**
 * Emails participants about committed events that concern them. The outbox accepts one email for each event and recipient, so
 * that an event which is handed over twice is emailed once.
 */
export const emailParticipants = inngest.createFunction(
  {
    id: 'email-participants',
    name: 'Email: participants',
    retries: 10,
    triggers: [domainEventsCommitted],
    concurrency: { limit: 4 },
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
    await step.run('done', () => emailsWritten(event.data.eventIds));
  },
);
