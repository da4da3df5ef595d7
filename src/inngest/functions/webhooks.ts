import { checkWebhooks, purgeWebhooks } from '@/inngest/functions/webhook-upkeep';
import { recentNotices } from '@/server/delivery/attempts/complete';
import { drain } from '@/server/delivery/attempts/drain';
import { fanOut } from '@/server/delivery/fan-out';
import { expireOverdue, lookNow, type NextLook, neglectedSubscriptions, queuesOf } from '@/server/delivery/queue/queue';
import { undispatch } from '@/server/events/relay';
import { inngest } from '@/server/jobs/client';
import {
  domainEventsCommitted,
  webhookDeliveriesDue,
  webhookSubscriptionDisabled,
  webhookSubscriptionWarned,
} from '@/server/jobs/events';

/** Due times are rounded up to this, so that failures which spread over a second come back in a few batches. */
const wakeGridMs = 250;
/** Rounds in one run; a subscription that keeps it busy longer goes on in another. */
const roundsAtMost = 30;
/** Receivers served at a time in each lane: those that hang leave room for the others, and for every other function. */
const receiversAtOnce = 48;
const neglectedAfterSeconds = 20;
const sweptAtOnce = 500;

/** Committed events become deliveries, one for each subscription that wants them. */
const fanOutEvents = inngest.createFunction(
  {
    id: 'webhook-fan-out',
    name: 'Webhooks: fan out',
    retries: 10,
    triggers: [domainEventsCommitted],
    // All retries failed: the relay takes the events again.
    onFailure: async ({ event, step }) => {
      const { eventIds } = event.data.event.data as { eventIds: string[] };
      await step.run('hand-back', () => undispatch(eventIds));
    },
  },
  async ({ event, step }) => {
    const due = await step.run('fan-out', () => fanOut(event.data.eventIds));
    if (due.length > 0) await step.sendEvent('due', lookNow(due));
  },
);

/** Attempts the deliveries of one subscription; one run of it at a time, so a hanging receiver delays itself alone. */
const deliver = inngest.createFunction(
  {
    id: 'webhook-deliver',
    name: 'Webhooks: deliver',
    retries: 10,
    triggers: [webhookDeliveriesDue],
    concurrency: [
      { limit: receiversAtOnce, key: 'event.data.lane' },
      { limit: 1, key: 'event.data.subscriptionId' },
    ],
  },
  async ({ event, step }) => {
    const { subscriptionId, at } = event.data;
    if (at) await step.sleepUntil('backoff', at);
    let next: NextLook | null = null;
    for (let round = 1; round <= roundsAtMost; round += 1) {
      next = await step.run(`attempts-${round}`, () => drain(subscriptionId));
      if (next === null) return;
      // Still due: the step's time was up. Not due although its moment has come: two clocks disagree.
      const early = at !== null && next.at <= at;
      if (next.inMs > 0 && !early) break;
      if (next.inMs > 0) await step.sleep(`clock-${round}`, '1s');
    }
    if (next === null) return;
    const wakeAt = new Date(Math.ceil(Date.parse(next.at) / wakeGridMs) * wakeGridMs).toISOString();
    // Whoever else waits for the same moment sends the same event; one of them is enough.
    const wake = webhookDeliveriesDue.create(
      { subscriptionId, lane: next.lane, at: wakeAt },
      { id: `${subscriptionId}:${wakeAt}` },
    );
    await step.sendEvent('wake', wake);
  },
);

type Notice = { subscriptionId: string; kind: 'warned' | 'disabled'; reason: 'gone_410' | 'only_failures'; at: string };

/** One event for each warning and each end, however often it is found. */
function announcement({ subscriptionId, kind, reason, at }: Notice) {
  const id = `${kind}:${subscriptionId}:${at}`;
  return kind === 'warned'
    ? webhookSubscriptionWarned.create({ subscriptionId, reason: 'only_failures' }, { id })
    : webhookSubscriptionDisabled.create({ subscriptionId, reason }, { id });
}

/** The net under everything above: nothing stays due for long, nothing is pending past its time. */
const sweep = inngest.createFunction(
  { id: 'webhook-sweep', name: 'Webhooks: sweep', retries: 0, triggers: [{ cron: '* * * * *' }] },
  async ({ step }) => {
    await step.run('expire', () => expireOverdue(null));
    const notices = await step.run('notices', () => recentNotices(sweptAtOnce));
    if (notices.length > 0) await step.sendEvent('announce', notices.map(announcement));
    const neglected = await step.run('find', async () =>
      queuesOf(await neglectedSubscriptions(neglectedAfterSeconds, sweptAtOnce)),
    );
    if (neglected.length > 0) await step.sendEvent('due', lookNow(neglected));
  },
);

export const webhookFunctions = [fanOutEvents, deliver, sweep, checkWebhooks, purgeWebhooks];
