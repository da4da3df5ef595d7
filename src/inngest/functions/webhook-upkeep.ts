import { cron } from 'inngest';
import { webhookAgent } from '@/server/delivery/outbound/policy';
import { send } from '@/server/delivery/outbound/post';
import { claimChecks, purgeDeliveries, purgeRecords, recordCheck } from '@/server/delivery/upkeep';
import { inngest } from '@/server/jobs/client';

const purge = { atOnce: 1_000, budgetMs: 5_000, rounds: 100 };
const checks = { atOnce: 20, longestMs: 10_000, budgetMs: 40_000 };

/** Deletes old deliveries until none is left or the time is up. @returns whether more may be left */
async function purgeSome(): Promise<boolean> {
  const until = performance.now() + purge.budgetMs;
  while (performance.now() < until) {
    if ((await purgeDeliveries(new Date(), purge.atOnce)) < purge.atOnce) return false;
  }
  return true;
}

/** Deliveries that ended, with their payloads, go after 30 days. */
export const purgeWebhooks = inngest.createFunction(
  { id: 'webhook-purge', name: 'Webhooks: retention', retries: 0, concurrency: 1, triggers: [cron('37 * * * *')] },
  async ({ step }) => {
    await step.run('records', () => purgeRecords(new Date()));
    for (let round = 1; round <= purge.rounds; round += 1) {
      if (!(await step.run(`deliveries-${round}`, purgeSome))) return;
    }
  },
);

/**
 * Makes the health checks that are due, some at a time, and takes no new ones when the time is up: what is left waits for the
 * next minute, the longest waiting first.
 * @returns how many were made
 */
export async function runChecks(): Promise<number> {
  const until = performance.now() + checks.budgetMs;
  let made = 0;
  while (performance.now() < until) {
    const due = await claimChecks(checks.atOnce);
    await Promise.all(
      due.map(async (check) => {
        const result = await send(webhookAgent(), {
          url: check.url,
          method: 'GET',
          headers: { 'user-agent': 'Laurel-Webhooks/1', accept: '*/*', 'accept-encoding': 'identity' },
          body: null,
          timeoutMs: Math.min(check.timeoutMs, checks.longestMs),
        });
        await recordCheck(check, result);
      }),
    );
    made += due.length;
    if (due.length < checks.atOnce) break;
  }
  return made;
}

/** Asks receivers whether they are well, as their subscriptions say. */
export const checkWebhooks = inngest.createFunction(
  { id: 'webhook-health', name: 'Webhooks: health checks', retries: 0, concurrency: 1, triggers: [cron('* * * * *')] },
  async ({ step }) => step.run('check', runChecks),
);
