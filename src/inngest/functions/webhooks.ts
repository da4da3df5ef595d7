import { cron } from 'inngest';
import { deliver, drainRun } from '@/server/delivery/deliver';
import { runHealthChecks } from '@/server/delivery/health-checks';
import { runReplay } from '@/server/delivery/replay';
import { maintainSecrets } from '@/server/delivery/secrets';
import { purge, sweep } from '@/server/delivery/upkeep';
import { inngest } from '@/server/jobs/client';
import { webhookDeliveriesDue, webhookDrainRequested, webhookReplayRequested } from '@/server/jobs/events';
import { eventEmails } from '@/server/routers/participants/data-emails';

/** Processes that may send at a time. */
const maxSenders = 32;

/**
 * Replays that go on at a time, batch by batch in turns: of projects created from one block of addresses, and of an account that asks
 * for them. One of another person never waits for those to end, and one that waits for its batch holds no place of the executor.
 */
const maxReplaying = { ofTurn: 8, ofAccount: 4 };

/**
 * How many waits of projects that were created from one block of addresses may end at a time: in a day, one person can have more
 * webhooks behind open breakers than the executor can probe.
 */
const maxWaking = 8;

/**
 * One long run for each process carries all of its deliveries and emails, so that none stands between a commit and its
 * requests.
 */
const drain = inngest.createFunction(
  {
    id: 'webhook-drain',
    name: 'Webhooks: send',
    retries: 3,
    triggers: [webhookDrainRequested],
    concurrency: { limit: maxSenders },
  },
  ({ step }) => drainRun(step, eventEmails),
);

/** Waits for a retry, the end of a limit, or the probe of a breaker. */
export const deliverDue = inngest.createFunction(
  {
    id: 'webhook-deliver',
    name: 'Webhooks: wait until due',
    retries: 10,
    triggers: [webhookDeliveriesDue],
    concurrency: { limit: maxWaking, key: 'event.data.turn' },
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
    concurrency: [
      { limit: maxReplaying.ofTurn, key: 'event.data.turn' },
      { limit: maxReplaying.ofAccount, key: 'event.data.userId' },
    ],
  },
  ({ event, step }) => runReplay(event.data, step),
);

const checkHealth = inngest.createFunction(
  { id: 'webhook-health', name: 'Webhooks: health checks', retries: 0, concurrency: 1, triggers: [cron('* * * * *')] },
  ({ step }) => step.run('check', () => runHealthChecks()),
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
  drain,
  deliverDue,
  sweepDeliveries,
  replayDeliveries,
  checkHealth,
  purgeDeliveries,
  maintainWebhookSecrets,
];
