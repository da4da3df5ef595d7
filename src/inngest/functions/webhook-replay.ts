import { cron } from 'inngest';
import { wakeQueues } from '@/server/delivery/queue/queue';
import { continueReplay, forgottenReplays, type ReplayPlace } from '@/server/delivery/replay';
import { inngest } from '@/server/jobs/client';
import { webhookReplayRequested } from '@/server/jobs/events';

/** Steps of a run; a replay that needs more goes on in another. */
const stepsAtMost = 100;
const forgottenAfterSeconds = 90;
/** A replay that seems forgotten is asked for once in this time. */
const askedEveryMs = 600_000;

/** Sends deliveries again in batches, in their order, and wakes the queue as it fills. */
export const replayDeliveries = inngest.createFunction(
  {
    id: 'webhook-replay',
    name: 'Webhooks: replay',
    retries: 10,
    triggers: [webhookReplayRequested],
    concurrency: [{ limit: 4 }, { limit: 1, key: 'event.data.subscriptionId' }],
  },
  async ({ event, step }) => {
    const { replayId, subscriptionId } = event.data;
    let place: ReplayPlace = { status: 0, createdAt: null, id: null };
    for (let index = 1; index <= stepsAtMost; index += 1) {
      const from = place;
      const next = await step.run(`batch-${index}`, async () => {
        const taken = await continueReplay(replayId, from);
        await wakeQueues([subscriptionId]);
        return taken;
      });
      if (next === null) return;
      place = next;
    }
    await step.sendEvent('go-on', webhookReplayRequested.create({ replayId, subscriptionId }));
  },
);

/** Goes on with replays whose run was lost. */
export const sweepReplays = inngest.createFunction(
  { id: 'webhook-replay-sweep', name: 'Webhooks: sweep replays', triggers: [cron('* * * * *')] },
  async ({ step }) => {
    const forgotten = await step.run('find', () => forgottenReplays(forgottenAfterSeconds, 100));
    if (forgotten.length === 0) return;
    const slot = Math.floor(Date.now() / askedEveryMs);
    await step.sendEvent(
      'go-on',
      forgotten.map(({ id, subscriptionId }) =>
        webhookReplayRequested.create({ replayId: id, subscriptionId }, { id: `${id}:${slot}` }),
      ),
    );
  },
);
