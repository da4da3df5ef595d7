import { cron } from 'inngest';
import { deliver } from '@/server/delivery/deliver';
import { fanOut } from '@/server/delivery/fan-out';
import { runHealthChecks } from '@/server/delivery/health-checks';
import { emailOwners } from '@/server/delivery/owner-emails';
import { deliveriesDueEvents } from '@/server/delivery/queue/queue';
import { runReplay, sweepReplays } from '@/server/delivery/replay';
import { maintainSecrets } from '@/server/delivery/secrets';
import { purge, sweep } from '@/server/delivery/upkeep';
import { undispatch } from '@/server/events/relay';
import { inngest } from '@/server/jobs/client';
import {
  domainEventsCommitted,
  webhookDeliveriesDue,
  webhookReplayRequested,
  webhookSubscriptionDisabled,
  webhookSubscriptionWarned,
} from '@/server/jobs/events';

/** Queues run at a time in each lane: endpoints that hang leave slots for others, and for every other function. */
const queuesPerLane = 48;

const fanOutEvents = inngest.createFunction(
  {
    id: 'webhook-fan-out',
    name: 'Webhooks: fan out',
    retries: 10,
    triggers: [domainEventsCommitted],
    // When all retries have failed, the relay takes the events again.
    onFailure: async ({ event, step }) => {
      const { eventIds } = event.data.event.data as { eventIds: string[] };
      await step.run('hand-back', () => undispatch(eventIds));
    },
  },
  async ({ event, step }) => {
    const due = await step.run('fan-out', () => fanOut(event.data.eventIds));
    if (due.length > 0) await step.sendEvent('due', deliveriesDueEvents(due));
  },
);

/** One run of a queue at a time, so that an endpoint that hangs delays only its own deliveries. */
const deliverDue = inngest.createFunction(
  {
    id: 'webhook-deliver',
    name: 'Webhooks: deliver',
    retries: 10,
    triggers: [webhookDeliveriesDue],
    concurrency: [
      { limit: queuesPerLane, key: 'event.data.lane' },
      { limit: 1, key: 'event.data.subscriptionId' },
    ],
  },
  ({ event, step }) => deliver(event.data, step),
);

const sweepDeliveries = inngest.createFunction(
  { id: 'webhook-sweep', name: 'Webhooks: sweep', retries: 0, triggers: [cron('* * * * *')] },
  ({ step }) => sweep(step),
);

const replayDeliveries = inngest.createFunction(
  {
    id: 'webhook-replay',
    name: 'Webhooks: replay',
    retries: 10,
    triggers: [webhookReplayRequested],
    concurrency: [{ limit: 4 }, { limit: 1, key: 'event.data.subscriptionId' }],
  },
  ({ event, step }) => runReplay(event.data, step),
);

const sweepStalledReplays = inngest.createFunction(
  { id: 'webhook-replay-sweep', name: 'Webhooks: sweep replays', triggers: [cron('* * * * *')] },
  ({ step }) => sweepReplays(step),
);

const emailAboutFailing = inngest.createFunction(
  { id: 'webhook-email-failing', name: 'Webhooks: email about failures', triggers: [webhookSubscriptionWarned] },
  ({ event, step }) => emailOwners(event.data.subscriptionId, { kind: 'warned' }, step),
);

const emailAboutDisabled = inngest.createFunction(
  { id: 'webhook-email-disabled', name: 'Webhooks: email when disabled', triggers: [webhookSubscriptionDisabled] },
  ({ event, step }) => emailOwners(event.data.subscriptionId, { kind: 'disabled', reason: event.data.reason }, step),
);

const checkHealth = inngest.createFunction(
  { id: 'webhook-health', name: 'Webhooks: health checks', retries: 0, concurrency: 1, triggers: [cron('* * * * *')] },
  ({ step }) => step.run('check', runHealthChecks),
);

const purgeDeliveries = inngest.createFunction(
  { id: 'webhook-purge', name: 'Webhooks: retention', retries: 0, concurrency: 1, triggers: [cron('37 * * * *')] },
  ({ step }) => purge(step),
);

const maintainWebhookSecrets = inngest.createFunction(
  { id: 'webhook-secrets', name: 'Webhooks: secrets', triggers: [cron('7 * * * *')] },
  ({ step }) => maintainSecrets(step),
);

export const webhookFunctions = [
  fanOutEvents,
  deliverDue,
  sweepDeliveries,
  replayDeliveries,
  sweepStalledReplays,
  emailAboutFailing,
  emailAboutDisabled,
  checkHealth,
  purgeDeliveries,
  maintainWebhookSecrets,
];
