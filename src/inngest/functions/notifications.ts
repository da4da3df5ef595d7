import { undispatch } from '@/server/events/relay';
import { inngest } from '@/server/jobs/client';
import { domainEventsCommitted, mailQueued } from '@/server/jobs/events';
import { queueCancellationEmails, queueParticipantEmails } from '@/server/routers/participants/data-emails';

const toSend = (mailIds: string[]) => mailIds.map((mailId) => mailQueued.create({ mailId }, { id: mailId }));

/**
 * Committed events become letters to the people they concern. The outbox takes one letter for each event and reader, so
 * that events which are handed over twice are told of once.
 */
export const notifyEntrants = inngest.createFunction(
  {
    id: 'notify-entrants',
    name: 'Mail: tell entrants',
    retries: 10,
    triggers: [domainEventsCommitted],
    concurrency: { limit: 4 },
    // All retries failed: the relay takes the events again, for as long as they are news.
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
